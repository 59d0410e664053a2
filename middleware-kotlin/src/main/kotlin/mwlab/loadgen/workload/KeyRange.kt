package mwlab.loadgen.workload

import mwlab.loadgen.options.KeyPattern
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Options
import java.security.SecureRandom
import java.util.SplittableRandom

/** The keys that one of several connections uses: with P a contiguous share of about the same size, otherwise all. */
internal fun Keys.rangeOf(connection: Int, connections: Int): LongRange {
    if (setPattern != KeyPattern.PARALLEL) return minimum..maximum
    return minimum + share(count, connection, connections) until minimum + share(count, connection + 1, connections)
}

/** size * part / parts without overflow. */
private fun share(size: Long, part: Int, parts: Int): Long = size / parts * part + size % parts * part / parts

/**
 * The seed that all of a process's random choices come from: drawn if clients, instances or random times are to differ,
 * or else always the same.
 */
internal fun baseSeedOf(options: Options): Long {
    val isDrawn = options.keys.randomize || options.keys.distinctClientSeed || options.pacing.setsTimes
    return if (isDrawn) SecureRandom().nextLong() else 0L
}

/** The random numbers of one connection: without `--distinct-client-seed` all have the same, as in memtier. */
internal fun Keys.randomOf(connection: Int, baseSeed: Long): SplittableRandom =
    SplittableRandom(if (distinctClientSeed) SplittableRandom(baseSeed + connection).nextLong() else baseSeed)

/** The walk of one side, set or get, of one connection. */
internal fun Keys.sequence(pattern: KeyPattern, range: LongRange, random: SplittableRandom): KeySequence =
    when (pattern) {
        KeyPattern.RANDOM -> uniformKeys(range, random)
        KeyPattern.SEQUENTIAL, KeyPattern.PARALLEL -> sequentialKeys(range)
        KeyPattern.GAUSSIAN -> gaussianKeys(range, stddev, median, random)
        KeyPattern.ZIPF -> ZipfKeys(range, zipfExponent, random)
    }

/** What reports call requests per client: of the client with most, 0 in a timed run. */
internal fun requestsPerClient(options: Options): Long {
    val (load, keys) = options.load to options.keys
    val shares = (0 until load.connections).asSequence().map { keys.rangeOf(it, load.connections) }
    return if (load.allKeys) shares.maxOf { it.last - it.first + 1 } else load.requests
}
