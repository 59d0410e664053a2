package mwlab.loadgen.measure

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class TimeHistogramTest {
    @Test
    fun `packing changes nothing, and more can be recorded afterwards`() {
        val histogram = TimeHistogram()
        val expected = TimeHistogram()
        for (timeUs in listOf(12L, 400L, 400L, 1_000_000L)) {
            histogram.record(timeUs)
            histogram.pack()
            expected.record(timeUs)
        }
        assertEquals(expected.toHistogram(), histogram.toHistogram())
    }

    @Test
    fun `times outside of memtier's range count at its ends`() {
        val histogram = TimeHistogram().apply {
            record(0)
            record(Long.MAX_VALUE / 2)
        }.toHistogram()
        assertEquals(2, histogram.totalCount)
        assertEquals(8, histogram.minValue)
        assertTrue(histogram.maxValue in 600_000_000..604_000_000)
    }

    @Test
    fun `adding an empty one keeps an empty one empty`() {
        val sum = TimeHistogram().apply { plusAssign(TimeHistogram()) }
        assertTrue(sum.isEmpty)
        assertEquals(0, sum.toHistogram().totalCount)
    }
}
