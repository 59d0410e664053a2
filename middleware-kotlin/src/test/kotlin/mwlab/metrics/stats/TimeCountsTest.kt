package mwlab.metrics.stats

import org.HdrHistogram.Histogram
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class TimeCountsTest {
    @Test
    fun `times are counted in HdrHistogram's bins of three digits`() {
        val expected = Histogram(3)
        val times = TimeCounts(StatsMemory())
        val random = Random(1)
        val edges = (0..25).flatMap { doublings -> (-1L..1L).map { maxOf((1L shl doublings) + it, 0) } }
        for (micros in edges + List(10_000) { random.nextLong(1L shl random.nextInt(1, 26)) }) {
            expected.recordValue(micros)
            times.record(micros * 1000 + 999)
        }
        assertEquals(expected, times.toHistogram())
        assertEquals(expected.totalCount, times.count)
    }

    @Test
    fun `a time beyond the range counts at its end, and in full in the sum`() {
        val times = TimeCounts(StatsMemory())
        times.record(3_600_000_000_000)
        assertEquals(3_600_000_000_000, times.sumNanos)
        assertEquals(TimeCounts.MOST_MICROS, times.toHistogram().maxValue)
    }

    @Test
    fun `times below limits are counted`() {
        val times = TimeCounts(StatsMemory())
        for (micros in listOf(0L, 49, 50, 99, 999_000, 1_001_000, 60_000_000)) times.record(micros * 1000)
        assertEquals(listOf(2L, 4L, 5L), times.cumulativeCounts(longArrayOf(50, 100, 1_000_000)).toList())
    }

    @Test
    fun `without memory every time still counts, with less precision`() {
        val memory = StatsMemory(mostBytes = 0)
        val times = TimeCounts(memory)
        for (micros in listOf(300L, 5_000L, 5_001L)) times.record(micros * 1000)
        val histogram = times.toHistogram()
        assertEquals(3, histogram.totalCount)
        assertEquals(3, memory.coarseCounts)
        assertTrue(histogram.getValueAtPercentile(100.0) in 4_300..5_001, "${histogram.maxValue}")
    }

    @Test
    fun `memory is given back and can be used again`() {
        val memory = StatsMemory()
        val times = TimeCounts(memory)
        times.record(1_000)
        val used = memory.usedBytes
        assertTrue(used > 0)
        times.reset()
        assertEquals(0, memory.usedBytes)
        assertEquals(0, times.toHistogram().totalCount)
        times.record(1_000)
        assertEquals(used, memory.usedBytes)
    }
}
