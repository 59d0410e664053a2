package mwlab.loadgen.workload

import mwlab.loadgen.options.Arrivals
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Queues
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.Outcome
import mwlab.loadgen.request.SentRequest
import mwlab.loadgen.request.TraceEntry
import mwlab.memcached.MAX_KEY_BYTES
import java.nio.ByteBuffer
import kotlin.math.min

/**
 * The requests of one connection. Not thread-safe.
 *
 * Usually in memtier's order: a cycle of S sets and then G gets, where one multi-key get counts as as many gets as it has
 * keys. With weights each operation is drawn, of messages also queue and receiver; a trace tells all of a request. Sets walk
 * through the keys on their own, and all else together.
 */
internal class Workload(
    options: Options,
    connection: Int,
    baseSeed: Long,
    content: ByteBuffer = ValueSequence.contentOf(options.values, baseSeed),
) {
    private val mix = options.mix
    private val random = options.keys.randomOf(connection, baseSeed)
    private val range = options.keys.rangeOf(connection, options.load.connections)
    private val setKeys = options.keys.sequence(options.keys.setPattern, range, random)
    private val getKeys = options.keys.sequence(options.keys.getPattern, range, random)
    private val values = ValueSequence(options.values, options.keys.minimum..options.keys.maximum, random, content)
    private val draw = if (mix.weights.isEmpty()) null else WeightedDraw(mix.weights, random)
    private val followUps = ArrayDeque<FollowUp>()
    private val writer = RequestWriter(values)
    private val key = KeyText(options.keys)
    private var setsInCycle = 0
    private var getsInCycle = 0

    /** How many requests `--requests allkeys` means for this connection. */
    val keyCount: Long = range.last - range.first + 1

    /** The key of the latest request, of several the last one. */
    val latestKey: String get() = key.toString()

    /** Appends the next request to [out], which has room for [largestRequestBytes], and describes it in [request]. */
    fun next(request: SentRequest, out: ByteBuffer) {
        val start = out.position()
        val planned = request.planned
        val followUp = followUps.removeFirstOrNull()
        when {
            planned != null -> putPlanned(planned, request, out)
            followUp != null -> putFollowUp(followUp, request, out)
            draw != null -> putDrawn(draw.next(), request, out)
            else -> putNextOfCycle(request, out)
        }
        request.bytes = out.position() - start
    }

    /**
     * Takes note of what the reply to [request] calls for: the `cas` of a value that has been read, whose [unique] this is,
     * and the first number of a counter that is not there.
     */
    fun answered(request: SentRequest, unique: Long) {
        if (request.planned != null) return
        val isRead = request.operation == Operation.GETS && request.outcome == Outcome.HIT
        if (isRead) followUps += FollowUp(Operation.CAS, request.key, unique)
        if (request.operation.counts && request.outcome == Outcome.MISS) {
            followUps += FollowUp(Operation.ADD, request.key, unique)
        }
    }

    private fun putNextOfCycle(request: SentRequest, out: ByteBuffer) {
        if (setsInCycle == mix.sets && getsInCycle == mix.gets) {
            setsInCycle = 0
            getsInCycle = 0
        }
        if (setsInCycle < mix.sets) {
            setsInCycle++
            putSet(request, out)
        } else {
            val keys = min(mix.multiKeyGet.coerceAtLeast(1), mix.gets - getsInCycle)
            getsInCycle += keys
            putGet(keys, request, out)
        }
    }

    private fun putDrawn(operation: Operation, request: SentRequest, out: ByteBuffer) = when (operation) {
        Operation.SET -> putSet(request, out)

        Operation.GET -> putGet(mix.multiKeyGet.coerceAtLeast(1), request, out)

        Operation.CAS -> put(Operation.GETS, getKeys.next(), request, out)

        Operation.SEND, Operation.POP, Operation.PEEK, Operation.LIST ->
            putMessage(operation, checkNotNull(mix.queues), request, out)

        else -> put(operation, getKeys.next(), request, out)
    }

    private fun putSet(request: SentRequest, out: ByteBuffer) = put(Operation.SET, setKeys.next(), request, out)

    private fun putGet(keys: Int, request: SentRequest, out: ByteBuffer) {
        request.describe(Operation.GET, key = 0, keys)
        writer.putGet(keys, out) { key.setObject(getKeys.next()) }
    }

    private fun putFollowUp(due: FollowUp, request: SentRequest, out: ByteBuffer) {
        if (due.operation == Operation.CAS) return put(Operation.CAS, due.key, request, out, due.unique)
        request.describe(Operation.ADD, due.key)
        writer.putCounter(key.setCounter(due.key), out)
    }

    private fun put(operation: Operation, number: Long, request: SentRequest, out: ByteBuffer, unique: Long = 0) {
        request.describe(operation, number)
        if (operation.counts) key.setCounter(number) else key.setObject(number)
        val bytes = if (operation.storesValue) values.nextSize(number) else 0
        writer.put(operation, key, bytes, unique, out)
    }

    private fun putMessage(operation: Operation, queues: Queues, request: SentRequest, out: ByteBuffer) {
        val queue = random.nextLong(queues.count.toLong()) + 1
        val receiver = if (queues.receivers == 0) 0L else random.nextLong(queues.receivers.toLong()) + 1
        request.describe(operation, queue)
        val bytes = if (operation.storesValue) values.nextSize(queue) else 0
        writer.put(operation, key.setMessage(operation, queue, receiver), bytes, unique = 0, out)
    }

    private fun putPlanned(planned: TraceEntry, request: SentRequest, out: ByteBuffer) {
        request.describe(planned.operation, key = 0)
        writer.put(planned.operation, key.set(planned.key), planned.valueBytes, unique = 0, out)
    }

    /** A request that an earlier one has called for. */
    private class FollowUp(val operation: Operation, val key: Long, val unique: Long)

    companion object {
        private const val MOST_DIGITS = 20

        /** Upper limit of the length of one request under these options. */
        fun largestRequestBytes(options: Options): Int {
            val isReplay = options.pacing.arrivals is Arrivals.Replay
            val anyLength = isReplay || options.keys.sizesOfEtc || options.mix.queues != null
            val shortBytes = (options.keys.prefix + Keys.COUNTER).toByteArray().size + MOST_DIGITS
            val keyBytes = 1 + if (anyLength) MAX_KEY_BYTES else shortBytes
            val setBytes = keyBytes + options.values.size.largestBytes
            return RequestWriter.FRAME_BYTES + maxOf(setBytes, keyBytes * options.mix.multiKeyGet)
        }
    }
}
