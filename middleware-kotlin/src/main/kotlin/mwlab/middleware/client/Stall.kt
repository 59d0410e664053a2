package mwlab.middleware.client

/** Tells for how long something outstanding has not moved, from looks at it now and then. Not thread-safe. */
internal class Stall {
    private var outstanding = 0L
    private var sinceNanos = 0L

    /** It went on to something else. */
    fun moved() {
        outstanding = 0
    }

    /** For how long the same number of bytes was [outstanding] whenever somebody looked, up to [nanos]; 0 is nothing to wait for. */
    fun lastsFor(outstanding: Long, nanos: Long): Long {
        if (outstanding == 0L || outstanding != this.outstanding) sinceNanos = nanos
        this.outstanding = outstanding
        return nanos - sinceNanos
    }
}
