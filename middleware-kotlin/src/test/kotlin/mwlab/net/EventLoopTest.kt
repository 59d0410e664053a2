package mwlab.net

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import mwlab.testing.Readable
import mwlab.testing.ThreadAccount
import mwlab.testing.assertReadBeforeTimer
import mwlab.testing.eventually
import mwlab.testing.onVirtualLoop
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.measureTime

class EventLoopTest {
    private fun onLoop(block: suspend CoroutineScope.(EventLoop) -> Unit) =
        EventLoop("test").use { loop -> runBlocking(loop) { withTimeout(5.minutes) { block(loop) } } }

    @Test
    fun `coroutines run on the loop's thread, also after delays and other dispatchers`() = onLoop { loop ->
        assertTrue(loop.isCurrent)
        delay(2)
        assertTrue(loop.isCurrent)
        EventLoop("other").use { other -> withContext(other) { assertTrue(!loop.isCurrent && other.isCurrent) } }
        assertTrue(loop.isCurrent)
    }

    @Test
    fun `delays end in the order of their time`() = onVirtualLoop {
        val ended = mutableListOf<Int>()
        val delays = listOf(30, 10, 20, 10).map { launch { delay(it.milliseconds).also { _ -> ended += it } } }
        delays.forEach { it.join() }
        assertEquals(listOf(10, 10, 20, 30), ended)
    }

    @Test
    fun `time is what the loop's clock says`() {
        val now = AtomicLong()
        EventLoop("test", clock = now::get).use { loop ->
            val fired = AtomicBoolean()
            loop.startTimer(1.hours.inWholeNanoseconds) { fired.set(true) }
            runBlocking(loop) { delay(0) }
            assertFalse(fired.get())
            now.set(1.hours.inWholeNanoseconds)
            // Nothing wakes the loop up by itself: its clock has jumped.
            eventually("the timer fires") {
                loop.execute {}
                fired.get()
            }
        }
    }

    @Test
    fun `what waits on a loop that has ended can still be cancelled`() = runBlocking {
        val loop = EventLoop("test")
        val waiting = launch(loop, CoroutineStart.UNDISPATCHED) { withContext(loop) { delay(1.hours) } }
        loop.close()
        eventually("it has ended") { !loop.isAlive }
        withTimeout(5.minutes) { waiting.cancelAndJoin() }
    }

    @Test
    fun `what belongs to a loop that has ended can be closed anywhere`() {
        val loop = EventLoop("test")
        loop.close()
        eventually("it has ended") { !loop.isAlive }
        assertTrue(loop.isCurrent, "a closing that is handed to the loop would come back for ever")
    }

    @Test
    fun `who has run what was left of a loop may give it more`() = runBlocking {
        val loop = EventLoop("test").apply { close() }
        eventually("it has ended") { !loop.isAlive }
        val left = CountDownLatch(BLOCKS)
        withContext(Dispatchers.IO) {
            repeat(BLOCKS) { launch { loop.execute(left::countDown) } }
        }
        assertTrue(left.await(10, TimeUnit.MINUTES), "${left.count} blocks did not run")
    }

    @Test
    fun `a delay is never too short`() = onLoop {
        repeat(5) { assertTrue(measureTime { delay(7) } >= 7.milliseconds) }
    }

    @Test
    fun `a timeout cancels what waits`() = onVirtualLoop { virtual ->
        assertFailsWith<TimeoutCancellationException> { withTimeout(1.hours) { delay(2.hours) } }
        assertEquals(1.hours.inWholeNanoseconds, virtual.elapsedNanos)
    }

    @Test
    fun `a cancelled delay is dropped`() = EventLoop("test").use { loop ->
        runBlocking(loop) {
            val long = launch(start = CoroutineStart.UNDISPATCHED) { delay(10_000) }
            assertTrue(loop.timers.nanosToNext(System.nanoTime()) < Long.MAX_VALUE)
            long.cancelAndJoin()
            assertEquals(Long.MAX_VALUE, loop.timers.nanosToNext(System.nanoTime()))
        }
    }

    @Test
    fun `what has arrived when a timer is due is read before the timer fires`() {
        val now = AtomicLong()
        EventLoop("test", clock = now::get).use { assertReadBeforeTimer(it, now) }
    }

    @Test
    fun `the end of a turn comes after all that is ready`() = onLoop { loop ->
        val order = mutableListOf<String>()
        loop.atEndOfTurn { order += "end" }
        loop.execute {
            order += "first"
            loop.execute { order += "second" }
        }
        delay(1)
        assertEquals(listOf("first", "second", "end"), order)
    }

    @Test
    fun `processor time grows with work and not with waiting, and stays known after the end`() {
        val loop = EventLoop("accounted")
        runBlocking(loop) {
            // What else happens to the thread in its turns cannot happen to it in each of them.
            val waiting = List(10) {
                val before = loop.cpuNanos
                delay(20)
                loop.cpuNanos - before
            }
            assertTrue(waiting.min() < 10_000_000, "waiting takes no processor: $waiting ns")
            val idle = loop.cpuNanos
            while (loop.cpuNanos - idle < 20_000_000) Thread.onSpinWait()
        }
        val worked = loop.cpuNanos
        val thread = ThreadAccount.named("accounted").single()
        // The kernel may still have to add up what the thread has done since the last tick.
        eventually("the kernel's account has it, too") { thread.cpuNanos()!! >= worked * 0.9 }
        val account = thread.cpuNanos()!!
        assertTrue(loop.cpuNanos >= account, "the loop's own account is the later one")
        loop.close()
        eventually("the thread has ended") { ThreadAccount.named("accounted").isEmpty() }
        assertTrue(loop.cpuNanos >= worked)
    }

    private class Failures : FailureHandler {
        val ofConnections = ConcurrentLinkedQueue<Throwable>()
        val ofLoops = ConcurrentLinkedQueue<Throwable>()

        override fun connectionFailed(cause: Throwable) {
            ofConnections += cause
        }

        override fun loopFailed(loop: EventLoop, cause: Throwable) {
            ofLoops += cause
        }
    }

    @Test
    fun `an error in one connection closes that one only and is told`() {
        val failures = Failures()
        EventLoop("test", failures = failures).use { loop ->
            runBlocking(loop) {
                val failing = Readable(loop) { throw OutOfMemoryError("no direct memory") }
                val other = Readable(loop)
                while (failing.selections + other.selections < 2) yield()
                assertEquals(listOf(false, true), listOf(failing, other).map { it.isOpen })
                assertEquals(1, other.selections)
            }
        }
        assertEquals(listOf("no direct memory"), failures.ofConnections.map { it.message })
        assertEquals(0, failures.ofLoops.size)
    }

    @Test
    fun `a task, a timer or a hook that throws is told, and the loop goes on`() {
        val failures = Failures()
        EventLoop("test", failures = failures).use { loop ->
            loop.execute { throw AssertionError("task") }
            loop.startTimer(System.nanoTime()) { error("timer") }
            loop.execute { loop.atEndOfTurn { throw StackOverflowError("hook") } }
            runBlocking(loop) { delay(5) }
            assertTrue(loop.isAlive)
        }
        assertEquals(setOf("task", "timer", "hook"), failures.ofLoops.map { it.message }.toSet())
        assertEquals(3, failures.ofLoops.size)
    }

    private companion object {
        /** So many that threads which have run some come back with others. */
        const val BLOCKS = 20_000
    }
}
