package mwlab.loadgen.arrivals

import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.util.SplittableRandom
import kotlin.math.ln
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

class ArrivalTestTest {
    private fun asked(ratePerS: Double, gaps: GapDistribution = GapDistribution.EXPONENTIAL, seed: Long = 5) =
        AskedArrivals(Rate.Constant(ratePerS), gaps, seed)

    private fun sent(arrivals: AskedArrivals, count: Int): LongArray {
        val times = arrivals.times()
        return LongArray(count) { checkNotNull(times.next()) }
    }

    private fun test(sent: LongArray, asked: AskedArrivals) = checkNotNull(ArrivalTest.of(sent, asked))

    /** What a timer makes of it: late by an exponentially distributed time, never out of order. */
    private fun late(sent: LongArray, meanNanos: Double): LongArray {
        val random = SplittableRandom(1)
        var last = 0L
        return LongArray(sent.size) { index ->
            last = maxOf(last + 3_000, sent[index] - (meanNanos * ln(1 - random.nextDouble())).toLong())
            last
        }
    }

    @Test
    fun `the p-values of table 4_14 are as frequent as they say`() {
        val random = SplittableRandom(2)
        val pValues = List(4000) {
            val sample = DoubleArray(60) { -ln(1 - random.nextDouble()) }
            AndersonDarling.pValue(AndersonDarling.statistic(sample))
        }
        for (level in listOf(0.01, 0.05, 0.25, 0.5, 0.9)) {
            val share = pValues.count { it < level } / 4000.0
            assertEquals(level, share, 4 * sqrt(level * (1 - level) / 4000), "share of p-values below $level")
        }
        assertEquals(0.05, AndersonDarling.pValue(1.321), 0.001)
        assertEquals(0.0, AndersonDarling.pValue(50.0))
    }

    @ParameterizedTest
    @ValueSource(doubles = [100.0, 1_000.0, 3_000.0, 10_000.0, 50_000.0])
    fun `Poisson arrivals by timers that are somewhat late are as asked`(ratePerS: Double) {
        val asked = asked(ratePerS)
        val result = test(late(sent(asked, 20_000), meanNanos = 40_000.0), asked)
        assertTrue(result.isAsAsked, result.warning())
        assertTrue(checkNotNull(result.gaps).n >= 80)
    }

    @ParameterizedTest
    @ValueSource(doubles = [500.0, 5_000.0, 50_000.0])
    fun `other arrivals of the same rate are found not to be Poisson`(ratePerS: Double) {
        for (gaps in listOf(GapDistribution.FIXED, GapDistribution.UNIFORM)) {
            val result = test(sent(asked(ratePerS, gaps), 20_000), asked(ratePerS))
            assertTrue(result.rateIsAsAsked)
            assertFalse(result.isAsAsked, "$gaps at $ratePerS/s: ${result.warning()}")
        }
    }

    @Test
    fun `bursts are found by their autocorrelation`() {
        val random = SplittableRandom(3)
        val gaps = DoubleArray(2000) { -ln(1 - random.nextDouble()) }.also { it.sort(0, 1000) }
        val result = checkNotNull(GapTest.of(gaps))
        assertTrue(result.lag1 > result.lag1Bound)
        assertFalse(result.isAsAsked)
    }

    @ParameterizedTest
    @ValueSource(strings = ["UNIFORM", "ETC"])
    fun `other distributions are tested for what they are`(name: String) {
        val asked = asked(400.0, GapDistribution.valueOf(name))
        val result = test(late(sent(asked, 20_000), meanNanos = 20_000.0), asked)
        assertTrue(result.isAsAsked, result.warning())
        assertFalse(test(sent(asked(400.0), 20_000), asked).isAsAsked, "Poisson arrivals are not $name")
    }

    @Test
    fun `a rate that changes is tested on its own scale of time`() {
        val steps = Rate.Steps(listOf(RateStep(0.0, 200.0), RateStep(5.0, 900.0)))
        val asked = AskedArrivals(steps, GapDistribution.EXPONENTIAL, 7)
        assertTrue(test(sent(asked, 3_000), asked).isAsAsked)
        assertFalse(test(sent(asked, 3_000), asked(500.0)).isAsAsked)
        val onOff =
            AskedArrivals(Rate.OnOff(Rate.State(2000.0, 0.1), Rate.State(0.0, 0.2)), GapDistribution.EXPONENTIAL, 7)
        assertTrue(test(sent(onOff, 3_000), onOff).isAsAsked)
    }

    @Test
    fun `fixed gaps are tested for their rate alone`() {
        val asked = asked(1000.0, GapDistribution.FIXED)
        val result = test(late(sent(asked, 2_000), meanNanos = 100_000.0), asked)
        assertNull(result.gaps)
        assertTrue(result.isAsAsked)
        assertFalse(test(sent(asked(700.0, GapDistribution.FIXED), 2_000), asked).isAsAsked)
    }

    @Test
    fun `too few requests tell nothing`() {
        assertNull(ArrivalTest.of(sent(asked(100.0), 20), asked(100.0)))
    }
}
