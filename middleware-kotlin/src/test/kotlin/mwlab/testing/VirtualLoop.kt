package mwlab.testing

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.job
import kotlinx.coroutines.runBlocking
import mwlab.net.EventLoop
import mwlab.net.FailureHandler
import mwlab.net.buffer.BufferLimit
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.test.assertEquals
import kotlin.time.Duration

/**
 * An [EventLoop] without sockets in [VirtualTime].
 *
 * A test that waits for an hour takes no time, and its result does not depend on how busy the machine is.
 *
 * @param bufferLimit of the loop's buffers
 * @param timersAreLateBy as of [VirtualTime]
 */
class VirtualLoop(bufferLimit: BufferLimit = BufferLimit(), timersAreLateBy: Duration = Duration.ZERO) :
    AutoCloseable {
    private val time = VirtualTime(timersAreLateBy)
    private val failures = ConcurrentLinkedQueue<Throwable>()

    val loop = EventLoop("virtual", bufferLimit = bufferLimit, failures = Failures(), clock = time)

    /** As of [VirtualTime]. */
    val elapsedNanos: Long get() = time.elapsedNanos

    /**
     * Runs [test] on the loop, then cancels what the test has launched and still runs. Fails if nothing is left that could happen while
     * the test waits, and if anything failed on the loop.
     */
    fun run(test: suspend CoroutineScope.() -> Unit) {
        runBlocking(loop) {
            time.drive(loop) {
                coroutineContext.job.cancel(CancellationException("the test waits for what can never happen"))
            }
            try {
                test()
            } finally {
                time.stop()
                coroutineContext.cancelChildren()
            }
        }
        assertEquals(emptyList(), failures.toList())
    }

    /** As of [VirtualTime]. */
    fun skip(duration: Duration) = time.skip(duration)

    /** Suspends until nothing is left to run at this moment of virtual time. */
    suspend fun settle() = time.settle(loop)

    override fun close() = loop.close()

    private inner class Failures : FailureHandler {
        override fun connectionFailed(cause: Throwable) {
            failures += cause
        }

        override fun loopFailed(loop: EventLoop, cause: Throwable) {
            failures += cause
        }
    }
}

/** Runs [test] on a [VirtualLoop] of its own, whose large buffers take at most [maxBufferBytes]. */
fun onVirtualLoop(maxBufferBytes: Long = Long.MAX_VALUE, test: suspend CoroutineScope.(VirtualLoop) -> Unit) =
    VirtualLoop(BufferLimit(maxBufferBytes)).use { virtual -> virtual.run { test(virtual) } }
