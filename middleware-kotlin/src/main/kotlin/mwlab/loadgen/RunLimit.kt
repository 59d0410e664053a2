package mwlab.loadgen

/** When the clients of a run stop sending; shared by all of them. */
internal class RunLimit(val startNanos: Long, testTimeS: Int) {
    /** Whether the clock ends the run; otherwise each client ends after its number of requests. */
    val isTimed = testTimeS > 0

    /** No request is sent from this moment on. */
    val endNanos: Long = if (isTimed) startNanos + testTimeS * RunClock.NANOS_PER_SECOND else Long.MAX_VALUE

    fun isOver(nanos: Long): Boolean = nanos >= endNanos
}
