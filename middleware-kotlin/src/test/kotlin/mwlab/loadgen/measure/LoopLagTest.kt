package mwlab.loadgen.measure

import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import mwlab.net.EventLoop
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import kotlin.test.assertTrue

class LoopLagTest {
    @ParameterizedTest
    @ValueSource(booleans = [true, false])
    fun `a loop that comes late to its timers shows it`(fineTimers: Boolean) =
        EventLoop("test", fineTimers).use { loop ->
            runBlocking(loop) {
                val lag = LoopLag(loop)
                val watching = launch { lag.watch() }
                repeat(8) {
                    delay(1)
                    Thread.sleep(120)
                }
                delay(1)
                watching.cancel()
                assertTrue(lag.maxMs in 20.0..60_000.0, "${lag.maxMs} ms")
                assertTrue(lag.p90Ms >= 10, "${lag.p90Ms} ms")
            }
        }
}
