package mwlab.metrics

import mwlab.net.NanoClock

/**
 * A [NanoClock] that also tells the time of day of its stamps.
 *
 * Read once at the start, so that windows neither jump nor drift when the time of day is adjusted. Thread-safe.
 */
class EpochClock(clock: NanoClock, epochMillis: Long = System.currentTimeMillis()) : NanoClock by clock {
    private val offsetNanos = epochMillis * NANOS_PER_MS - clock.nanos()

    fun epochSecond(nanos: Long): Long = Math.floorDiv(nanos + offsetNanos, NANOS_PER_S)

    fun epochMillis(nanos: Long): Long = Math.floorDiv(nanos + offsetNanos, NANOS_PER_MS)

    /** The stamp at which [epochSecond] begins. */
    fun startOf(epochSecond: Long): Long = epochSecond * NANOS_PER_S - offsetNanos

    private companion object {
        const val NANOS_PER_MS = 1_000_000L
        const val NANOS_PER_S = 1_000_000_000L
    }
}
