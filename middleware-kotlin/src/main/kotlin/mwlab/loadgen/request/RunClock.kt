package mwlab.loadgen.request

import java.time.Instant
import java.time.temporal.ChronoUnit

/**
 * The common time of one run: second 0 begins at the same moment for all connections.
 *
 * Second k of a run begins at the wall-clock millisecond [startEpochMs] + 1000 k, so reports of several instances and
 * hosts can be laid over each other. Everything is measured with the monotonic clock; the wall clock is read once.
 *
 * @property startNanos [System.nanoTime] at the start
 */
class RunClock(val startEpochMs: Long, val startNanos: Long) {
    /** The first moment of a second, as [System.nanoTime]. */
    fun startOf(second: Int): Long = startNanos + second * NANOS_PER_SECOND

    companion object {
        const val NANOS_PER_SECOND = 1_000_000_000L
        const val NANOS_PER_MICRO = 1_000L
        const val NANOS_PER_MILLI = 1_000_000L

        /** A clock whose second 0 begins at once. */
        fun startingNow(): RunClock = System.nanoTime().let { RunClock(epochMsOf(it), it) }

        /** A clock whose second 0 begins at a given time. */
        fun startingAt(epochMs: Long): RunClock {
            val now = System.nanoTime()
            return RunClock(epochMs, now + (epochMs * MICROS_PER_MILLI - epochMicrosOf(now)) * NANOS_PER_MICRO)
        }

        private fun epochMsOf(nanos: Long) = epochMicrosOf(nanos) / MICROS_PER_MILLI

        /** The wall-clock time of a moment just now: from that of several readings of both clocks which took least. */
        private fun epochMicrosOf(nanos: Long): Long {
            val readings = List(READINGS) { Triple(System.nanoTime(), epochMicros(), System.nanoTime()) }
            val (before, epochMicros, after) = readings.minBy { (before, _, after) -> after - before }
            return epochMicros - (before + (after - before) / 2 - nanos) / NANOS_PER_MICRO
        }

        private fun epochMicros() = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())

        private const val MICROS_PER_MILLI = 1_000L
        private const val READINGS = 5
    }
}
