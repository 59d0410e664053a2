package mwlab.loadgen.measure

import org.HdrHistogram.Histogram
import java.util.SplittableRandom
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

    @Test
    fun `bins are at most a hundred and twenty-eighth of their times wide`() {
        for (timeUs in listOf(100L, 255, 256, 1_000, 4_999, 123_456, 599_999_999)) {
            val bin = TimeHistogram().apply { record(timeUs) }.bins().single()
            assertTrue(bin.edgeUs - timeUs in 0..timeUs / 128, "$timeUs lies in the bin up to ${bin.edgeUs}")
        }
    }

    @Test
    fun `memtier's histogram is what it would be had the times been recorded in it`() {
        val random = SplittableRandom(1)
        val times = List(10_000) { random.nextLong(10, 1L shl random.nextInt(5, 29)) }
        val expected = Histogram(10, 600_000_000, 2).apply { times.forEach { recordValue(it) } }
        val found = TimeHistogram().apply { times.forEach(::record) }.toHistogram()
        assertEquals(expected, found)
        assertEquals(expected.minValue to expected.maxValue, found.minValue to found.maxValue)
        assertEquals(expected.mean, found.mean)
    }
}
