package mwlab.net

import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.testing.VirtualLoop
import mwlab.testing.onVirtualLoop
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class WatchTest {
    @Test
    fun `a look comes every interval, with the time`() = onVirtualLoop { virtual ->
        val looks = mutableListOf<Long>()
        val startNanos = virtual.loop.clock.nanos()
        launch { virtual.loop.watch(100.milliseconds) { looks += (it - startNanos) / 1_000_000 } }
        delay(350.milliseconds)
        assertEquals(listOf(100L, 200L, 300L), looks)
    }

    @Test
    fun `after the thread stood still one look is left out`() = onVirtualLoop { virtual ->
        val looks = mutableListOf<Long>()
        val startNanos = virtual.loop.clock.nanos()
        launch { virtual.loop.watch(100.milliseconds) { looks += (it - startNanos) / 1_000_000 } }
        delay(150.milliseconds)
        virtual.skip(5.seconds)
        delay(150.milliseconds)
        assertEquals(listOf(100L, 5250L), looks)
    }

    @Test
    fun `no two looks are left out in a row, however late they come`() =
        VirtualLoop(timersAreLateBy = 1.seconds).use { virtual ->
            virtual.run {
                var looks = 0
                launch { virtual.loop.watch(100.milliseconds) { looks++ } }
                repeat(11) { delay(100.milliseconds) }
                assertEquals(5, looks)
            }
        }
}
