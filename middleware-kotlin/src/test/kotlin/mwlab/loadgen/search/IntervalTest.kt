package mwlab.loadgen.search

import org.HdrHistogram.Histogram
import java.util.SplittableRandom
import kotlin.math.ln
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class IntervalTest {
    private val random = SplittableRandom(4)

    /** A block of exponentially distributed response times. */
    private fun block(count: Int, meanUs: Double) = Histogram(10, 600_000_000, 2).apply {
        repeat(count) { recordValue((-meanUs * ln(1 - random.nextDouble())).toLong().coerceAtLeast(10)) }
    }

    /** How many of many intervals hold the truth. */
    private fun coverage(truth: Double, interval: () -> Interval) =
        List(600) { interval() }.count { truth in it.lowUs..it.highUs } / 600.0

    @Test
    fun `intervals of independent values hold the truth as often as they say`() {
        val percentiles = coverage(1000 * ln(100.0)) { percentileInterval(List(5) { block(1000, 1000.0) }, 99.0) }
        assertTrue(percentiles > 0.93, "$percentiles of the percentiles")
        val means = coverage(1000.0) { meanInterval(List(5) { block(1000, 1000.0) }) }
        assertEquals(0.95, means, 0.035, "of the means")
    }

    @Test
    fun `blocks that differ make intervals wider`() {
        val calm = percentileInterval(List(8) { block(2000, 1000.0) }, 90.0)
        val uneven = percentileInterval(List(8) { block(2000, if (it % 2 == 0) 700.0 else 1300.0) }, 90.0)
        assertTrue(uneven.highUs - uneven.lowUs > 2 * (calm.highUs - calm.lowUs))
    }

    @Test
    fun `too few values tell no upper end`() {
        assertEquals(Double.POSITIVE_INFINITY, percentileInterval(List(5) { block(50, 1000.0) }, 99.0).highUs)
        assertTrue(percentileInterval(List(5) { block(50, 1000.0) }, 50.0).highUs < 2000)
    }

    @Test
    fun `seconds without replies do not count`() {
        val blocks = List(4) { block(100, 1000.0) }
        val empty = Histogram(10, 600_000_000, 2)
        assertEquals(percentileInterval(blocks, 50.0).highUs, percentileInterval(blocks + empty, 50.0).highUs)
        assertEquals(meanInterval(blocks).highUs, meanInterval(blocks + empty).highUs)
    }
}
