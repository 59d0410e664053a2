package mwlab.loadgen.request

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class RunClockTest {
    @Test
    fun `a clock that starts now has both clocks' present time`() {
        val (epochMsBefore, nanosBefore) = System.currentTimeMillis() to System.nanoTime()
        val clock = RunClock.startingNow()
        val (epochMsAfter, nanosAfter) = System.currentTimeMillis() to System.nanoTime()
        assertTrue(clock.startEpochMs in epochMsBefore - 1..epochMsAfter + 1, "${clock.startEpochMs}")
        assertTrue(clock.startNanos in nanosBefore..nanosAfter)
    }

    @Test
    fun `a clock that starts at a time counts its seconds from there`() {
        val inThreeSeconds = System.currentTimeMillis() + 3000
        val nanosBefore = System.nanoTime()
        val clock = RunClock.startingAt(inThreeSeconds)
        val (epochMsAfter, nanosAfter) = System.currentTimeMillis() to System.nanoTime()
        assertEquals(inThreeSeconds, clock.startEpochMs)
        // The three seconds are counted from a moment between the two readings; the time of day is read in whole milliseconds.
        assertTrue(clock.startNanos >= nanosBefore + 3_000_000_000 - 2_000_000 - (nanosAfter - nanosBefore))
        assertTrue(
            clock.startNanos <=
                nanosAfter + (inThreeSeconds - epochMsAfter + 2) * 1_000_000 + (nanosAfter - nanosBefore),
        )
        assertEquals(2_000_000_000, clock.startOf(2) - clock.startNanos)
    }

    @Test
    fun `the time since the start is that of the clock, and 0 before the start`() {
        var nowNanos = 5L
        val clock = RunClock(startEpochMs = 0, startNanos = 10, clock = { nowNanos })
        assertEquals(0, clock.elapsedNanos)
        nowNanos = 17
        assertEquals(7, clock.elapsedNanos)
    }
}
