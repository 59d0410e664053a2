package mwlab.loadgen

import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.request.RunClock

/**
 * Notices, from looks at the [LiveTotals] now and then, that the server hangs: a timed run is still waiting for replies [GRACE_S] seconds
 * after its end; in any other, nothing has come back for [LIMIT_S] seconds though requests are outstanding.
 *
 * While the generator itself stood still, replies may have come that it has not read yet: that time does not count.
 */
internal class StallDetector(private val limit: RunLimit) {
    private val patienceNanos = (if (limit.isTimed) GRACE_S else LIMIT_S) * RunClock.NANOS_PER_SECOND
    private var waitsSinceNanos = if (limit.isTimed) limit.endNanos else limit.startNanos
    private var lastAnswered = -1L

    /** Whether the run is to be given up at [nowNanos], which is [lateNanos] after the time at which this look was due. */
    fun isStalled(totals: LiveTotals, nowNanos: Long, lateNanos: Long): Boolean {
        if (lateNanos > STANDSTILL_NANOS && nowNanos > waitsSinceNanos) waitsSinceNanos += lateNanos
        val answered = totals.replies + totals.errors
        if (!limit.isTimed && (answered != lastAnswered || answered == totals.sent)) {
            lastAnswered = answered
            waitsSinceNanos = nowNanos
        }
        return nowNanos - waitsSinceNanos >= patienceNanos
    }

    private companion object {
        const val GRACE_S = 2
        const val LIMIT_S = 10

        /** Half of the time between two looks. */
        const val STANDSTILL_NANOS = RunClock.NANOS_PER_SECOND / 2
    }
}
