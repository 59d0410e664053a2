package mwlab.loadgen.request

import kotlin.math.abs
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class RunClockTest {
    private val toleranceNanos = 500_000_000L

    @Test
    fun `a clock that starts now has both clocks' present time`() {
        val clock = RunClock.startingNow()
        assertTrue(abs(System.currentTimeMillis() - clock.startEpochMs) * 1_000_000 <= toleranceNanos)
        assertTrue(System.nanoTime() - clock.startNanos in 0..toleranceNanos)
    }

    @Test
    fun `a clock that starts at a time counts its seconds from there`() {
        val inThreeSeconds = System.currentTimeMillis() + 3000
        val clock = RunClock.startingAt(inThreeSeconds)
        assertEquals(inThreeSeconds, clock.startEpochMs)
        assertTrue(abs(clock.startNanos - System.nanoTime() - 3_000_000_000) <= toleranceNanos)
        assertEquals(2_000_000_000, clock.startOf(2) - clock.startNanos)
    }
}
