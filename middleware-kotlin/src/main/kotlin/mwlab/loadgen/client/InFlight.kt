package mwlab.loadgen.client

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.loadgen.request.SentRequest
import kotlin.coroutines.resume

/**
 * The requests of one connection that wait for their replies, oldest first: at most [depth].
 *
 * Confined to one event loop; one coroutine adds and waits, another removes.
 */
internal class InFlight(private val depth: Int) {
    private val ring = Array(depth) { SentRequest() }
    private var oldestIndex = 0
    private var waiter: CancellableContinuation<Unit>? = null

    var size = 0
        private set

    val hasRoom: Boolean get() = size < depth

    /** The request to fill in before [add]. */
    val free: SentRequest get() = ring[(oldestIndex + size) % depth]

    /** The request that the next reply answers. */
    val oldest: SentRequest get() = ring[oldestIndex]

    fun add() {
        check(hasRoom) { "more than $depth requests in flight" }
        size++
    }

    fun removeOldest() {
        check(size > 0) { "a reply that nobody asked for" }
        size--
        oldestIndex = (oldestIndex + 1) % depth
        waiter?.also { waiter = null }?.resume(Unit)
    }

    /** Calls [action] with each, oldest first. */
    inline fun forEach(action: (SentRequest) -> Unit) {
        for (place in 0 until size) action(ring[(oldestIndex + place) % depth])
    }

    /** Suspends until there is room for one more request. */
    suspend fun awaitRoom() {
        while (!hasRoom) awaitRemoval()
    }

    /** Suspends until every request is answered. */
    suspend fun awaitEmpty() {
        while (size > 0) awaitRemoval()
    }

    private suspend fun awaitRemoval() = suspendCancellableCoroutine { waiter = it }
}
