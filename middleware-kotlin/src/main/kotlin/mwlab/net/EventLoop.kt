package mwlab.net

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Delay
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.disposeOnCancellation
import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.net.buffer.BufferLimit
import mwlab.net.buffer.BufferPool
import java.lang.management.ManagementFactory
import java.lang.management.ThreadMXBean
import java.nio.channels.SelectionKey
import java.nio.channels.Selector
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean
import java.util.function.Consumer
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext

/**
 * One thread with one selector that is also the dispatcher of every coroutine using its sockets.
 *
 * A socket that becomes ready resumes its coroutine on the very thread that saw it: no hand-over, no lock, and no system call but those
 * that move bytes. A turn of the loop runs what can run, then the hooks given to [atEndOfTurn], then selects.
 *
 * Thread-safe: [execute], [startTimer] and [close]. Everything else, [Connection] included, is confined to the loop's thread, that is,
 * to coroutines that have the loop as their dispatcher. `delay` and `withTimeout` use the loop's own timers.
 *
 * @param failures is told of work that throws: a connection whose turn fails is closed, and nothing ends the thread but [close].
 * @param alarmOf makes the alarm that wakes the loop up for its timers, which are up to 1 ms late without one.
 */
@OptIn(InternalCoroutinesApi::class, ExperimentalCoroutinesApi::class)
class EventLoop(
    val name: String,
    bufferLimit: BufferLimit = BufferLimit(),
    private val failures: FailureHandler = FailureHandler.Default,
    val clock: NanoClock = NanoClock.SYSTEM,
    alarmOf: ((wakeUp: Runnable) -> Alarm)? = null,
) : CoroutineDispatcher(),
    Delay,
    AutoCloseable {
    val buffers = BufferPool(bufferLimit)

    /** Time that the loop's thread has spent on a processor since its start; readable anywhere, also when the thread has ended. */
    val cpuNanos: Long get() = threadTimes.getThreadCpuTime(thread.id).takeIf { it >= 0 } ?: cpuNanosAtEnd

    @Volatile
    private var cpuNanosAtEnd = 0L
    internal val selector: Selector = Selector.open()
    private val ready = ArrayDeque<Runnable>()
    private val handedOver = ConcurrentLinkedQueue<Runnable>()
    private val wakingUp = AtomicBoolean()
    private val endOfTurn = ArrayDeque<Runnable>()
    internal val timers = Timers()
    private val alarm = alarmOf?.invoke(Runnable(::wakeUp))
    private var selected = 0
    private val onSelected = Consumer<SelectionKey> {
        serve(it.attachment() as Selectable)
        // A thousand sockets may be ready: in parts, what was read is sent on while it is still in the processor's cache.
        if (++selected % EVENTS_PER_TURN == 0) runReady()
    }

    @Volatile
    private var closing = false
    private val thread = Thread(::run, name).apply {
        isDaemon = true
        start()
    }

    @Volatile
    private var hasEnded = false

    /** Whether what is confined to the loop may be touched here: on its thread, or anywhere once that has ended. */
    val isCurrent: Boolean get() = isOwnThread || !isAlive

    private val isOwnThread: Boolean get() = Thread.currentThread() === thread

    val isAlive: Boolean get() = thread.isAlive

    override fun dispatch(context: CoroutineContext, block: Runnable) = execute(block)

    /** Runs [block] on the loop's thread, after what is queued there; elsewhere if that has ended. */
    fun execute(block: Runnable) {
        if (isOwnThread) return ready.addLast(block)
        handedOver.add(block)
        // A coroutine that is cancelled has to be resumed to end, or whoever waits for it would wait for ever.
        if (hasEnded && handedOver.remove(block)) Dispatchers.IO.dispatch(EmptyCoroutineContext, block) else wakeUp()
    }

    /** Runs [block] once, when nothing is left to run in this turn: the place to flush what the turn has gathered. */
    fun atEndOfTurn(block: Runnable) = endOfTurn.addLast(block)

    /** Suspends until [deadlineNanos] of the [clock]; never early. Where milliseconds do, `delay` reads better. */
    suspend fun sleepUntil(deadlineNanos: Long) = suspendCancellableCoroutine { resumeAt(deadlineNanos, it) }

    fun startTimer(deadlineNanos: Long, block: Runnable): Timer {
        val timer = Timer(this, deadlineNanos, block)
        if (isCurrent) timers.add(timer) else execute { timers.add(timer) }
        return timer
    }

    override fun scheduleResumeAfterDelay(timeMillis: Long, continuation: CancellableContinuation<Unit>) =
        resumeAt(nanosFromNow(timeMillis), continuation)

    override fun invokeOnTimeout(timeMillis: Long, block: Runnable, context: CoroutineContext): DisposableHandle =
        startTimer(nanosFromNow(timeMillis), block)

    private fun resumeAt(deadlineNanos: Long, continuation: CancellableContinuation<Unit>) {
        continuation.disposeOnCancellation(
            startTimer(deadlineNanos) { with(continuation) { resumeUndispatched(Unit) } },
        )
    }

    private fun nanosFromNow(millis: Long): Long =
        clock.nanos() + minOf(millis, Long.MAX_VALUE / (2 * NANOS_PER_MILLI)) * NANOS_PER_MILLI

    /**
     * Ends the thread once what is queued has run; sockets still open are closed, and what is dispatched later runs on another
     * thread, without sockets and timers, so the loop's coroutines should end first. Idempotent; does not wait.
     */
    override fun close() {
        closing = true
        wakeUp()
        alarm?.close()
    }

    private fun wakeUp() {
        if (wakingUp.compareAndSet(false, true)) selector.wakeup()
    }

    private fun run() {
        try {
            while (selector.isOpen && !hasDone(::turn)) continue
        } finally {
            selector.keys().toList().forEach { (it.attachment() as Selectable).close() }
            selector.close()
            cpuNanosAtEnd = threadTimes.currentThreadCpuTime
            hasEnded = true
            while (!hasDone(::runReady)) continue
        }
    }

    /** Whether [work] says that it is done; it is not if it fails. */
    @Suppress("TooGenericExceptionCaught") // the boundary of the thread: without it, it would end and nobody know
    private inline fun hasDone(work: () -> Boolean): Boolean = try {
        work()
    } catch (failure: Throwable) {
        failures.loopFailed(this, failure)
        false
    }

    /** Whether it was the last one. */
    private fun turn(): Boolean {
        val mayWait = runReady()
        if (mayWait && closing) return true
        try {
            select(if (mayWait) timers.nanosToNext(clock.nanos()) else 0)
        } finally {
            wakingUp.set(false)
        }
        timers.fire(clock.nanos())
        return false
    }

    @Suppress("TooGenericExceptionCaught") // the boundary of one connection: what it lacks, others may have
    private fun serve(selectable: Selectable) = try {
        selectable.onSelected()
    } catch (failure: Throwable) {
        selectable.close()
        failures.connectionFailed(failure)
    }

    /** Runs what is ready, then the hooks of the end of the turn; true if nothing is left. */
    private fun runReady(): Boolean {
        repeat(TASKS_PER_TURN) {
            val block = ready.removeFirstOrNull() ?: handedOver.poll() ?: endOfTurn.removeFirstOrNull() ?: return true
            block.run()
        }
        return false
    }

    private fun select(waitNanos: Long) {
        if (waitNanos in 1..<Long.MAX_VALUE) alarm?.setTo(timers.firstDeadlineNanos)
        when {
            waitNanos <= 0 -> selector.selectNow(onSelected)
            alarm != null || waitNanos == Long.MAX_VALUE -> selector.select(onSelected)
            else -> selector.select(onSelected, (waitNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI)
        }
    }

    private companion object {
        const val TASKS_PER_TURN = 4096
        const val EVENTS_PER_TURN = 64
        const val NANOS_PER_MILLI = 1_000_000L
        val threadTimes: ThreadMXBean = ManagementFactory.getThreadMXBean()
    }
}

/** Wakes an [EventLoop] up at times that its selector, which counts milliseconds, cannot keep. Thread-safe. */
interface Alarm : AutoCloseable {
    /** Wakes the loop up once at [nanos] of its clock, and not at the time that was set before. */
    fun setTo(nanos: Long)
}

/** What a selection key of an [EventLoop] is attached to; called on the loop's thread. */
internal interface Selectable {
    fun onSelected()

    fun close()
}

/** Receives the unexpected errors of an [EventLoop]. Called on the loop's thread; must not throw. */
interface FailureHandler {
    /** A connection failed for [cause] and was closed; the others go on. */
    fun connectionFailed(cause: Throwable)

    /** A task, a timer or a hook of [loop] threw [cause]: the loop goes on, but what that work was for may never happen. */
    fun loopFailed(loop: EventLoop, cause: Throwable)

    object Default : FailureHandler {
        override fun connectionFailed(cause: Throwable) = tell(cause)

        override fun loopFailed(loop: EventLoop, cause: Throwable) = tell(cause)

        private fun tell(cause: Throwable) =
            Thread.currentThread().let { it.uncaughtExceptionHandler.uncaughtException(it, cause) }
    }
}
