package mwlab.loadgen.arrivals

import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import kotlin.math.PI
import kotlin.math.abs
import kotlin.math.sin
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

class ArrivalTimesTest {
    private fun asked(rate: Rate, gaps: GapDistribution = GapDistribution.EXPONENTIAL, seed: Long = 3) =
        AskedArrivals(rate, gaps, seed)

    /** Seconds of all arrivals in the first [seconds]. */
    private fun AskedArrivals.within(seconds: Double): List<Double> {
        val times = times()
        return generateSequence { times.next()?.let { it / 1e9 } }.takeWhile { it < seconds }.toList()
    }

    private fun assertCount(expected: Double, actual: Int) =
        assertTrue(abs(actual - expected) < 4 * sqrt(expected), "$expected expected, $actual came")

    @ParameterizedTest
    @EnumSource(names = ["EXPONENTIAL", "UNIFORM", "ETC"])
    fun `gaps have the distribution and the rate that were asked for`(distribution: GapDistribution) {
        val times = asked(Rate.Constant(1000.0), distribution).within(20.0)
        val gaps = times.zipWithNext { a, b -> 1000 * (b - a) }.sorted()
        val distance = gaps.withIndex().maxOf { (rank, gap) ->
            abs((rank + 0.5) / gaps.size - distribution.cumulated(gap))
        }
        assertTrue(distance < 1.63 / sqrt(gaps.size.toDouble()), "Kolmogorov-Smirnov distance $distance, 1 % level")
        assertEquals(1.0, gaps.average(), 0.04)
    }

    @Test
    fun `gaps of Facebook's ETC pool have the published shape and scale`() {
        val meanUs = 16.0292 / (1 - 0.154971)
        for (share in listOf(0.1, 0.5, 0.99)) {
            val published = 16.0292 / 0.154971 * (Math.pow(1 - share, -0.154971) - 1)
            assertEquals(published, meanUs * GapDistribution.ETC.quantile(share), 1e-9)
            assertEquals(share, GapDistribution.ETC.cumulated(published / meanUs), 1e-12)
        }
    }

    @Test
    fun `fixed gaps of two threads interleave`() {
        val threads = List(2) { DealtArrivals(asked(Rate.Constant(10.0), GapDistribution.FIXED).times(), it, 2) }
        assertEquals(
            listOf(listOf(0L, 200, 400), listOf(100L, 300, 500)),
            threads.map { arrivals -> List(3) { arrivals.next()?.div(1_000_000) } },
        )
    }

    @Test
    fun `threads together make the arrivals of one`() {
        val asked = asked(Rate.Constant(1000.0), GapDistribution.ETC)
        val one = asked.times().let { times -> List(300) { times.next() } }
        val three = List(3) { DealtArrivals(asked.times(), it, 3) }.flatMap { times -> List(100) { times.next() } }
        assertEquals(one, three.sortedBy { it })
    }

    @Test
    fun `a rate in steps is kept in each of them, and ends where it ends`() {
        val steps = listOf(RateStep(0.0, 1000.0), RateStep(10.0, 4000.0), RateStep(12.0, 0.0), RateStep(15.0, 500.0))
        val times = asked(Rate.Steps(steps)).within(19.0)
        val counts = listOf(0.0..10.0, 10.0..12.0, 12.0..15.0, 15.0..19.0).map { span -> times.count { it in span } }
        listOf(10_000.0, 8_000.0, 0.0, 2_000.0).zip(counts).forEach { (expected, count) ->
            assertTrue(abs(count - expected) <= 4 * sqrt(expected), "$expected expected, $count came")
        }
        val ending = asked(Rate.Steps(listOf(RateStep(0.0, 10.0), RateStep(1.0, 0.0)))).times()
        repeat(100) { ending.next() }
        assertNull(ending.next())
    }

    @Test
    fun `a sine has its mean over a period and its amplitude within it`() {
        val times = asked(Rate.Sine(1000.0, 800.0, 8.0)).within(16.0)
        for (part in 0 until 8) {
            val expected = 2000 + 800 * 8 / (2 * PI) * -(cosAt(part + 1) - cosAt(part)) * 2
            assertCount(expected, times.count { (it / 2 % 4) in part / 2.0..(part + 1) / 2.0 })
        }
        assertCount(16_000.0, times.size)
    }

    private fun cosAt(second: Int) = sin(2 * PI * second / 8 + PI / 2)

    @Test
    fun `an on-off process has the rates of its states for the times of its states`() {
        val rate = Rate.OnOff(Rate.State(5000.0, 0.1), Rate.State(100.0, 0.3))
        val times = asked(rate).within(200.0)
        assertEquals((5000 * 0.1 + 100 * 0.3) / 0.4, times.size / 200.0, 100.0)
        val perTenMs = times.groupingBy { (it * 100).toInt() }.eachCount()
        assertEquals(0.25, perTenMs.count { it.value > 20 } / 20_000.0, 0.04, "share of time that is on")
    }

    @Test
    fun `the same seed makes the same arrivals, another one others`() {
        val rate = Rate.OnOff(Rate.State(5000.0, 0.1), Rate.State(100.0, 0.3))
        assertEquals(asked(rate).within(1.0), asked(rate).within(1.0))
        assertTrue(asked(rate).within(1.0) != asked(rate, seed = 4).within(1.0))
    }
}
