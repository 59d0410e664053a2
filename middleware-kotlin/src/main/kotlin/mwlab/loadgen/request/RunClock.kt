package mwlab.loadgen.request

import mwlab.net.NanoClock
import java.time.Instant
import java.time.temporal.ChronoUnit

/**
 * The common time of one run: second 0 begins at the same moment for all connections.
 *
 * Second k of a run begins at the wall-clock millisecond [startEpochMs] + 1000 k, so reports of several instances and
 * hosts can be laid over each other. Everything is measured with the monotonic clock; the wall clock is read once.
 *
 * @property startNanos the start, on [clock]
 * @param clock the monotonic clock; its time must be that of the loops of the run
 */
class RunClock(val startEpochMs: Long, val startNanos: Long, private val clock: NanoClock = NanoClock.SYSTEM) {
    /** Nanoseconds since the start, 0 before it. */
    val elapsedNanos: Long get() = (clock.nanos() - startNanos).coerceAtLeast(0)

    /** The first moment of a second, on the monotonic clock. */
    fun startOf(second: Int): Long = startNanos + second * NANOS_PER_SECOND

    companion object {
        const val NANOS_PER_SECOND = 1_000_000_000L
        const val NANOS_PER_MICRO = 1_000L
        const val NANOS_PER_MILLI = 1_000_000L

        /** A clock whose second 0 begins at once. */
        fun startingNow(clock: NanoClock = NanoClock.SYSTEM): RunClock =
            clock.nanos().let { RunClock(epochMicrosOf(it, clock) / MICROS_PER_MILLI, it, clock) }

        /** A clock whose second 0 begins at a given time. */
        fun startingAt(epochMs: Long, clock: NanoClock = NanoClock.SYSTEM): RunClock {
            val now = clock.nanos()
            val startNanos = now + (epochMs * MICROS_PER_MILLI - epochMicrosOf(now, clock)) * NANOS_PER_MICRO
            return RunClock(epochMs, startNanos, clock)
        }

        /** The wall-clock time of a moment just now: from that of several readings of both clocks which took least. */
        private fun epochMicrosOf(nanos: Long, clock: NanoClock): Long {
            val readings = List(READINGS) { Triple(clock.nanos(), epochMicros(), clock.nanos()) }
            val (before, epochMicros, after) = readings.minBy { (before, _, after) -> after - before }
            return epochMicros - (before + (after - before) / 2 - nanos) / NANOS_PER_MICRO
        }

        private fun epochMicros() = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())

        private const val MICROS_PER_MILLI = 1_000L
        private const val READINGS = 5
    }
}
