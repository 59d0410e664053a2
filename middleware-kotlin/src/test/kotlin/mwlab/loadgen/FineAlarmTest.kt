package mwlab.loadgen

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import mwlab.net.EventLoop
import mwlab.testing.ThreadAccount
import mwlab.testing.assertReadBeforeTimer
import mwlab.testing.eventually
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.Test
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.minutes

class FineAlarmTest {
    private fun onLoop(block: suspend CoroutineScope.(EventLoop) -> Unit) =
        loopNamed("sleeper", fineTimers = true).use { loop ->
            runBlocking(loop) { withTimeout(5.minutes) { block(loop) } }
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
        eventually("the loop's thread and its alarm's have their names") { ThreadAccount.named("sleeper").size == 2 }
        val threads = ThreadAccount.named("sleeper")
        val wakeUpsBefore = threads.map { checkNotNull(it.wakeUps()) }
        repeat(100) { loop.sleepUntil(System.nanoTime() + 2_000_000) }
        val wakeUps = threads.zip(wakeUpsBefore) { thread, before -> checkNotNull(thread.wakeUps()) - before }
        // A thread that polled would hardly ever go to sleep, and one that napped would do so all the time.
        for (count in wakeUps) assertTrue(count in 10..1000, "$wakeUps times woken up in 100 waits")
    }
}
