package mwlab.loadgen

import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.request.RunClock

/** Notices that requests are outstanding and nothing has come back for [LIMIT_S] seconds: the server hangs. */
internal class StallDetector {
    private var lastAnswered = -1L
    private var lastMoveNanos = 0L

    fun isStalled(totals: LiveTotals, nowNanos: Long): Boolean {
        val answered = totals.replies + totals.errors
        if (answered != lastAnswered || answered == totals.sent) {
            lastAnswered = answered
            lastMoveNanos = nowNanos
        }
        return nowNanos - lastMoveNanos > LIMIT_S * RunClock.NANOS_PER_SECOND
    }

    companion object {
        const val LIMIT_S = 10
    }
}
