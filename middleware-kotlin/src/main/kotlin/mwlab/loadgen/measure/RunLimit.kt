package mwlab.loadgen.measure

/**
 * When the clients of a run stop sending; shared by all of them.
 *
 * @property endNanos no request is sent from this moment on; [Long.MAX_VALUE] if each client ends after its requests
 */
internal class RunLimit(val startNanos: Long, val endNanos: Long = Long.MAX_VALUE) {
    /** Whether the clock ends the run. */
    val isTimed: Boolean get() = endNanos != Long.MAX_VALUE

    fun isOver(nanos: Long): Boolean = nanos >= endNanos
}
