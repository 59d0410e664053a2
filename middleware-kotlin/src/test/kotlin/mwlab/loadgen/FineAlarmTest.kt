package mwlab.loadgen

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import mwlab.net.EventLoop
import mwlab.testing.ThreadAccount
import mwlab.testing.assertReadBeforeTimer
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.seconds

class FineAlarmTest {
    private fun onLoop(block: suspend CoroutineScope.(EventLoop) -> Unit) =
        loopNamed("sleeper", fineTimers = true).use { loop ->
            runBlocking(loop) { withTimeout(60.seconds) { block(loop) } }
        }

    @Test
    fun `fine timers are never early`() = onLoop { loop ->
        repeat(50) {
            val deadline = System.nanoTime() + 300_000
            loop.sleepUntil(deadline)
            assertTrue(System.nanoTime() >= deadline)
        }
    }

    @Test
    fun `what has arrived when a fine timer is due is read before the timer fires`() {
        val now = AtomicLong()
        loopNamed("test", fineTimers = true, now::get).use { assertReadBeforeTimer(it, now) }
    }

    @Test
    fun `a loop with fine timers sleeps between them`() = onLoop { loop ->
        delay(2) // by then both threads have their names
        val threads = ThreadAccount.named("sleeper")
        assertEquals(2, threads.size, "the loop's thread and its alarm's")
        val wakeUpsBefore = threads.sumOf { checkNotNull(it.wakeUps()) }
        val cpuNanosBefore = threads.sumOf { checkNotNull(it.cpuNanos()) }
        var due = System.nanoTime()
        repeat(100) {
            due += 2_000_000
            loop.sleepUntil(due)
        }
        val wakeUps = threads.sumOf { checkNotNull(it.wakeUps()) } - wakeUpsBefore
        val cpuMs = (threads.sumOf { checkNotNull(it.cpuNanos()) } - cpuNanosBefore) / 1_000_000
        assertTrue(wakeUps < 100 * 20, "$wakeUps times woken up")
        assertTrue(cpuMs < 100, "$cpuMs ms of the processor's time in 200 ms")
    }
}
