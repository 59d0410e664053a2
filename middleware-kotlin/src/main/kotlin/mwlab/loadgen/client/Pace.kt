package mwlab.loadgen.client

import mwlab.loadgen.request.SentRequest

/**
 * Decides when a connection may send its next request. Confined to the connection's event loop.
 */
internal interface Pace {
    /** Whether [awaitTurn] would have to wait; until then requests may share one write. */
    val mustWait: Boolean

    /** Suspends until the next request may be sent, and notes in it when it is due; false when the run is over. */
    suspend fun awaitTurn(request: SentRequest): Boolean

    /** Called when its client sends nothing more. */
    fun stop() = Unit
}
