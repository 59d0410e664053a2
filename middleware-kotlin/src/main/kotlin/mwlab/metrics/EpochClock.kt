package mwlab.metrics

import mwlab.net.NanoClock
import java.time.Instant

/**
 * A [NanoClock] that also tells the time of day of its stamps.
 *
 * Read once at the start, so that windows neither jump nor drift when the time of day is adjusted. Thread-safe.
 *
 * @param offsetNanos nanoseconds since 1970 at the stamp 0
 */
class EpochClock(clock: NanoClock, private val offsetNanos: Long = offsetOf(clock)) : NanoClock by clock {
    fun epochSecond(nanos: Long): Long = Math.floorDiv(epochNanos(nanos), NANOS_PER_S)

    fun epochMillis(nanos: Long): Long = Math.floorDiv(epochNanos(nanos), NANOS_PER_MS)

    /** To some microseconds, as surely as both clocks can be read at the same time. */
    fun epochNanos(nanos: Long): Long = nanos + offsetNanos

    /** The stamp at which [epochSecond] begins. */
    fun startOf(epochSecond: Long): Long = epochSecond * NANOS_PER_S - offsetNanos

    private companion object {
        const val NANOS_PER_MS = 1_000_000L
        const val NANOS_PER_S = 1_000_000_000L
        const val READINGS = 10

        /** Of several readings of both clocks, that which took least is the surest. */
        fun offsetOf(clock: NanoClock): Long {
            val readings = List(READINGS) { Triple(clock.nanos(), Instant.now(), clock.nanos()) }
            val (before, now, after) = readings.minBy { (before, _, after) -> after - before }
            return now.epochSecond * NANOS_PER_S + now.nano - (before + (after - before) / 2)
        }
    }
}
