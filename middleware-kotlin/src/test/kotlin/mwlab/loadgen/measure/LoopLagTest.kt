package mwlab.loadgen.measure

import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.testing.onVirtualLoop
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.time.Duration.Companion.milliseconds

class LoopLagTest {
    @Test
    fun `a loop that comes late to its timers shows how late it came`() = onVirtualLoop { virtual ->
        val lag = LoopLag(virtual.loop)
        launch { lag.watch() }
        delay(1)
        repeat(8) {
            virtual.skip(120.milliseconds)
            delay(1)
        }
        // The lag is measured every 50 ms, the first time 49 ms after the first look at it: 120 ms pass instead.
        assertEquals(71.0, lag.maxMs)
        assertEquals(70.0, lag.p90Ms, 2.0)
    }

    @Test
    fun `a loop that is never late shows no lag`() = onVirtualLoop { virtual ->
        val lag = LoopLag(virtual.loop)
        launch { lag.watch() }
        delay(1000)
        assertEquals(0.0, lag.maxMs)
        assertEquals(0.0, lag.p90Ms, 0.1)
    }
}
