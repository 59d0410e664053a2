package mwlab.loadgen.client

import mwlab.loadgen.request.SentRequest
import mwlab.loadgen.workload.TraceShare

/**
 * Sends what a trace says at the times of an open loop: the client whose turn it is takes the earliest request that is due
 * and that no other has taken.
 */
internal class ReplayPace(private val open: OpenLoop, private val startNanos: Long, private val share: TraceShare) :
    Pace {
    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        if (!open.awaitTurn(request)) return false
        val planned = share.takeDue()
        request.planned = planned
        request.dueNanos = startNanos + planned.sinceStartNanos
        return true
    }
}
