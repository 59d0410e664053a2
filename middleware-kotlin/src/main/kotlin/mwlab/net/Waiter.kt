package mwlab.net

import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Job
import kotlin.coroutines.Continuation
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * Where one coroutine of an [EventLoop] waits for one value after the other.
 *
 * Waiting takes no memory, and what waits goes on within [resume], not after a turn through the loop's queue: both are
 * paid for every request otherwise. Cancellation ends the wait, as with any suspending function. Confined to the loop's thread.
 */
@OptIn(InternalCoroutinesApi::class)
class Waiter<T>(private val loop: EventLoop) {
    private var waiting: Continuation<T>? = null
    private var job: Job? = null
    private var onCancelled: DisposableHandle? = null

    val isWaiting: Boolean get() = waiting != null

    suspend fun await(): T = suspendCoroutineUninterceptedOrReturn { continuation ->
        waiting = continuation
        watch(continuation.context[Job])
        COROUTINE_SUSPENDED
    }

    /** Lets the coroutine that waits, if there is one, go on with [value] at once. */
    fun resume(value: T) {
        waiting?.also { waiting = null }?.resume(value)
    }

    /** Lets the coroutine that waits, if there is one, fail with [cause], after what is queued on the loop. */
    fun fail(cause: Throwable) {
        waiting?.also { waiting = null }?.intercepted()?.resumeWithException(cause)
    }

    /** A coroutine that waits again and again is watched once. */
    private fun watch(current: Job?) {
        if (current === job) {
            if (current?.isCancelled == true) loop.execute { cancel(current) }
            return
        }
        onCancelled?.dispose()
        job = current
        onCancelled = current?.invokeOnCompletion(onCancelling = true) { loop.execute { cancel(current) } }
    }

    private fun cancel(cancelled: Job) {
        if (waiting?.context?.get(Job) === cancelled) fail(cancelled.getCancellationException())
    }
}
