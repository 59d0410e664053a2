package mwlab.middleware.server

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resume

/**
 * Several calls that belong together. Confined to the thread of the calls.
 *
 * @param onDone runs when all calls are answered or have failed, instead of [await]; null: somebody awaits.
 */
internal class CallGroup(private var pending: Int, private val onDone: (() -> Unit)? = null) {
    private var waiting: CancellableContinuation<Unit>? = null

    /** Suspends until all calls are answered or have failed. */
    suspend fun await() {
        if (pending > 0) suspendCancellableCoroutine { waiting = it }
    }

    fun oneDone() {
        if (--pending > 0) return
        onDone?.invoke()
        waiting?.resume(Unit)
    }
}
