package mwlab.loadgen

/**
 * The common time of one run: second 0 begins at the same moment for all connections.
 *
 * Second k of a run begins at the wall-clock millisecond [startEpochMs] + 1000 k, so reports of several instances and
 * hosts can be laid over each other. Everything is measured with the monotonic clock; the wall clock is read once.
 *
 * @property startNanos [System.nanoTime] at the start
 */
class RunClock(val startEpochMs: Long, val startNanos: Long) {
    /** The second of the run, from 0, in which a moment of [System.nanoTime] lies. */
    fun secondOf(nanos: Long): Int = ((nanos - startNanos) / NANOS_PER_SECOND).toInt().coerceAtLeast(0)

    /** The first moment of a second, as [System.nanoTime]. */
    fun startOf(second: Int): Long = startNanos + second * NANOS_PER_SECOND

    companion object {
        const val NANOS_PER_SECOND = 1_000_000_000L
        const val NANOS_PER_MICRO = 1_000L
        const val NANOS_PER_MILLI = 1_000_000L

        /** A clock whose second 0 begins [inNanos] from now. */
        fun startingIn(inNanos: Long): RunClock {
            val nanos = System.nanoTime()
            return RunClock(System.currentTimeMillis() + inNanos / NANOS_PER_MILLI, nanos + inNanos)
        }
    }
}
