package mwlab.net

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

class WaiterTest {
    private fun onLoop(block: suspend CoroutineScope.(EventLoop) -> Unit) =
        EventLoop("test").use { loop -> runBlocking(loop) { block(loop) } }

    @Test
    fun `one value after the other reaches the coroutine at once`() = onLoop { loop ->
        val waiter = Waiter<Int>(loop)
        val received = mutableListOf<Int>()
        val receiving = async(start = CoroutineStart.UNDISPATCHED) { repeat(3) { received += waiter.await() } }
        for (value in 1..3) {
            assertTrue(waiter.isWaiting)
            waiter.resume(value)
            assertEquals(value, received.last())
        }
        assertFalse(waiter.isWaiting)
        receiving.await()
    }

    @Test
    fun `cancellation ends the wait, the next one too`() = onLoop { loop ->
        val waiter = Waiter<Int>(loop)
        repeat(2) { assertNull(withTimeoutOrNull(20) { waiter.await() }) }
        val waiting = async(start = CoroutineStart.UNDISPATCHED) { waiter.await() }
        waiting.cancel()
        assertFailsWith<CancellationException> { waiting.await() }
        waiter.resume(1)
        val next = async(start = CoroutineStart.UNDISPATCHED) { waiter.await() }
        waiter.resume(2)
        assertEquals(2, next.await())
    }

    @Test
    fun `a wait begun in a cancelled coroutine ends`() = onLoop { loop ->
        val waiter = Waiter<Int>(loop)
        val waiting = async(start = CoroutineStart.UNDISPATCHED) {
            runCatching { waiter.await() }
            waiter.await()
        }
        waiting.cancel()
        assertFailsWith<CancellationException> { waiting.await() }
    }

    @Test
    fun `who waits is told of a failure`() = onLoop { loop ->
        val waiter = Waiter<Int>(loop)
        val waiting = async(start = CoroutineStart.UNDISPATCHED) {
            assertFailsWith<IllegalStateException> { waiter.await() }
        }
        waiter.fail(IllegalStateException("lost"))
        waiting.await()
    }
}
