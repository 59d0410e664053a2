package mwlab.loadgen.measure

import mwlab.loadgen.request.RunClock

/** Requests and their response times by tenths of a second, so that it is seen how a second went. Not thread-safe. */
internal class Slices {
    private val counts = LongArray(PER_SECOND)
    private val sumsUs = LongArray(PER_SECOND)

    /** Replies of each slice. */
    val replies: List<Long> get() = counts.asList()

    /** Response times of each slice, added up. */
    val responseTimesUs: List<Long> get() = sumsUs.asList()

    /** A reply that came so long after the second began; it counts in its nearest slice. */
    fun record(sinceSecondNanos: Long, responseTimeUs: Long) {
        val slice = (sinceSecondNanos / NANOS).toInt().coerceIn(0, PER_SECOND - 1)
        counts[slice]++
        sumsUs[slice] += responseTimeUs
    }

    operator fun plusAssign(other: Slices) {
        for (slice in 0 until PER_SECOND) {
            counts[slice] += other.counts[slice]
            sumsUs[slice] += other.sumsUs[slice]
        }
    }

    companion object {
        private const val PER_SECOND = 10
        private const val NANOS = RunClock.NANOS_PER_SECOND / PER_SECOND
        const val LENGTH_MS = NANOS / RunClock.NANOS_PER_MILLI
    }
}
