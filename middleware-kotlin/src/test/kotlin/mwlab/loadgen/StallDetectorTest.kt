package mwlab.loadgen

import mwlab.loadgen.measure.LiveTotals
import kotlin.test.Test
import kotlin.test.assertEquals

class StallDetectorTest {
    private val second = 1_000_000_000L

    private fun stalledAt(vararg totals: LiveTotals): List<Boolean> {
        val detector = StallDetector()
        return totals.mapIndexed { index, it -> detector.isStalled(it, index * 6 * second) }
    }

    private fun totals(sent: Long, replies: Long, errors: Long = 0) = LiveTotals(sent, replies, errors, 0, 0, 0)

    @Test
    fun `outstanding requests without any reply for ten seconds are a stall`() {
        assertEquals(listOf(false, false, true), stalledAt(totals(5, 1), totals(5, 1), totals(5, 1)))
    }

    @Test
    fun `replies, also errors, are signs of life, and so is having nothing to wait for`() {
        assertEquals(listOf(false, false, false), stalledAt(totals(5, 1), totals(5, 1), totals(5, 1, errors = 1)))
        assertEquals(listOf(false, false, false), stalledAt(totals(5, 5), totals(5, 5), totals(5, 5)))
    }
}
