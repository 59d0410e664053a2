package mwlab.loadgen.measure

import kotlin.math.max
import kotlin.math.min

/**
 * Counters and response times of one kind of request over some time, mutable. Not thread-safe.
 *
 * Error replies are counted apart: they stand in none of the other counters, so that a server that fails fast does not
 * look fast.
 */
internal class OperationStats {
    var count = 0L
        private set
    var errors = 0L
        private set
    var hits = 0L
        private set
    var misses = 0L
        private set
    var bytesRx = 0L
        private set
    var bytesTx = 0L
        private set
    var sumUs = 0L
        private set
    var minUs = Long.MAX_VALUE
        private set
    var maxUs = 0L
        private set
    val responseTimes = TimeHistogram()

    /**
     * From the intended instead of the actual send time; empty where requests have none, as in most closed loops.
     * Requests that are not answered count with the time that they have waited; those of all requests together hold the waits
     * of requests that were due and never sent, too.
     */
    val intendedResponseTimes = TimeHistogram()

    fun record(responseTimeUs: Long, keys: Int, hits: Int, bytesTx: Int, bytesRx: Int) {
        count++
        this.hits += hits
        misses += keys - hits
        this.bytesTx += bytesTx
        this.bytesRx += bytesRx
        sumUs += responseTimeUs
        minUs = min(minUs, responseTimeUs)
        maxUs = max(maxUs, responseTimeUs)
        responseTimes.record(responseTimeUs)
    }

    fun recordIntended(responseTimeUs: Long) = intendedResponseTimes.record(responseTimeUs)

    fun recordError() {
        errors++
    }

    operator fun plusAssign(other: OperationStats) {
        count += other.count
        errors += other.errors
        hits += other.hits
        misses += other.misses
        bytesRx += other.bytesRx
        bytesTx += other.bytesTx
        sumUs += other.sumUs
        minUs = min(minUs, other.minUs)
        maxUs = max(maxUs, other.maxUs)
        responseTimes += other.responseTimes
        intendedResponseTimes += other.intendedResponseTimes
    }

    /** Makes this small once nothing more is recorded. */
    fun pack() {
        responseTimes.pack()
        intendedResponseTimes.pack()
    }
}
