package mwlab.net

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import java.io.OutputStream
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.util.concurrent.locks.LockSupport
import kotlin.concurrent.thread
import kotlin.io.path.Path
import kotlin.io.path.div
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readLines
import kotlin.io.path.readText
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

class EventLoopTest {
    private fun onLoop(fineTimers: Boolean = false, block: suspend CoroutineScope.(EventLoop) -> Unit) =
        EventLoop("test", fineTimers).use { loop -> runBlocking(loop) { withTimeout(20.seconds) { block(loop) } } }

    @Test
    fun `coroutines run on the loop's thread, also after delays and other dispatchers`() = onLoop { loop ->
        assertTrue(loop.isCurrent)
        delay(2)
        assertTrue(loop.isCurrent)
        EventLoop("other").use { other -> withContext(other) { assertTrue(!loop.isCurrent && other.isCurrent) } }
        assertTrue(loop.isCurrent)
    }

    @Test
    fun `delays end in the order of their time`() = onLoop {
        val ended = mutableListOf<Int>()
        val delays = listOf(30, 10, 20, 10).map { launch { delay(it.milliseconds).also { _ -> ended += it } } }
        delays.forEach { it.join() }
        assertEquals(listOf(10, 10, 20, 30), ended)
    }

    @Test
    fun `a delay is never too short`() = onLoop {
        repeat(5) { assertTrue(measureTime { delay(7) } >= 7.milliseconds) }
    }

    @Test
    fun `a timeout cancels what waits`() = onLoop {
        assertFailsWith<TimeoutCancellationException> { withTimeout(10) { delay(1.seconds.inWholeMilliseconds * 10) } }
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
    fun `fine timers wake within a fraction of a millisecond`() = onLoop(fineTimers = true) { loop ->
        val lateNanos = List(50) {
            val deadline = System.nanoTime() + 300_000
            loop.sleepUntil(deadline)
            System.nanoTime() - deadline
        }.sorted()
        assertTrue(lateNanos.first() >= 0)
        assertTrue(lateNanos[25] < 500_000, "median ${lateNanos[25]} ns late")
    }

    @Test
    fun `what arrives shortly before a fine timer is read before it fires`() = onLoop(fineTimers = true) { loop ->
        ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { server ->
            val connection = Connection.open(loop, server.localSocketAddress as InetSocketAddress, 5.seconds)
            server.accept().use { peer ->
                val inTime = mutableListOf<Attempt>()
                repeat(300) {
                    if (inTime.size == 20) return@repeat
                    val attempt = Attempt(System.nanoTime() + 3_000_000)
                    attempt.make(loop, connection, peer.getOutputStream())
                    if (attempt.aheadNanos > 200_000) inTime += attempt
                }
                assertTrue(inTime.count { it.isReadFirst } >= inTime.size / 2, "$inTime")
            }
            connection.close()
        }
    }

    /** A byte that is sent 300 us before a timer's deadline. */
    private class Attempt(private val deadlineNanos: Long) {
        /** How long before the deadline it was really sent: on a busy machine the sender may come too late. */
        var aheadNanos = 0L
        var isReadFirst = false

        suspend fun make(loop: EventLoop, connection: Connection, peer: OutputStream) = coroutineScope {
            val timer = async(start = CoroutineStart.UNDISPATCHED) { loop.sleepUntil(deadlineNanos) }
            val sender = thread {
                LockSupport.parkNanos(deadlineNanos - 300_000 - System.nanoTime())
                peer.write(1)
                aheadNanos = deadlineNanos - System.nanoTime()
            }
            connection.fill()
            isReadFirst = !timer.isCompleted && connection.lastReadNanos < deadlineNanos
            connection.consume(1)
            sender.join()
            timer.await()
        }

        override fun toString() = "$aheadNanos ns ahead, read ${if (isReadFirst) "first" else "late"}"
    }

    @Test
    fun `a loop with fine timers sleeps between them`() = onLoop(fineTimers = true) { loop ->
        val before = threads("test")
        var due = System.nanoTime()
        repeat(500) {
            due += 2_000_000
            loop.sleepUntil(due)
        }
        val after = threads("test")
        val wakeUps = after.sumOf { it.wakeUps } - before.sumOf { it.wakeUps }
        val cpuMs = (after.sumOf { it.cpuTicks } - before.sumOf { it.cpuTicks }) * 10
        assertEquals(2, after.size, "the loop's thread and its alarm's")
        assertTrue(wakeUps < 500 * 6, "$wakeUps times woken up")
        assertTrue(cpuMs < 250, "$cpuMs ms of the processor's time in a second")
    }

    private class ThreadUse(val wakeUps: Long, val cpuTicks: Long)

    /** What the kernel says of this process' threads whose names begin so. */
    private fun threads(name: String) = Path("/proc/self/task").listDirectoryEntries().mapNotNull { task ->
        val threadName = (task / "comm").readText().trim()
        if (threadName !in listOf(name, "$name-alarm") &&
            !threadName.startsWith("$name @coroutine")
        ) {
            return@mapNotNull null
        }
        val wakeUps = (task / "status").readLines().first { it.startsWith("voluntary_ctxt_switches") }
        val fields = (task / "stat").readText().substringAfterLast(')').trim().split(' ')
        ThreadUse(wakeUps.substringAfter(':').trim().toLong(), fields[11].toLong() + fields[12].toLong())
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
    fun `busy time grows with work and not with waiting`() = onLoop { loop ->
        val before = loop.busyNanos
        delay(50)
        assertTrue(loop.busyNanos - before < 40_000_000)
        val busy = loop.busyNanos
        val until = System.nanoTime() + 20_000_000
        while (System.nanoTime() < until) Thread.onSpinWait()
        yield()
        delay(1)
        assertTrue(loop.busyNanos - busy >= 20_000_000)
    }
}
