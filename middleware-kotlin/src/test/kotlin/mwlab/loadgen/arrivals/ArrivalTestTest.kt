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
    private fun poisson(ratePerS: Double, count: Int): LongArray {
        val arrivals = PoissonArrivals(ratePerS, seed = 5, number = 0, threads = 1)
        return LongArray(count) { arrivals.next() }
    }

    /** With gaps whose mean is 1, in arrivals per second. */
    private fun sent(ratePerS: Double, count: Int, nextGap: () -> Double): LongArray {
        var seconds = 0.0
        return LongArray(count) {
            seconds += nextGap() / ratePerS
            (seconds * 1e9).toLong()
        }
    }

    private fun test(sent: LongArray, ratePerS: Double) = checkNotNull(ArrivalTest.of(sent, ratePerS))

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
        val result = test(late(poisson(ratePerS, 20_000), meanNanos = 40_000.0), ratePerS)
        assertTrue(result.isAsAsked, result.warning())
        assertTrue(checkNotNull(result.gaps).n >= 80)
    }

    @ParameterizedTest
    @ValueSource(doubles = [500.0, 5_000.0, 50_000.0])
    fun `other arrivals of the same rate are found not to be Poisson`(ratePerS: Double) {
        val random = SplittableRandom(4)
        val others = mapOf("fixed" to { 1.0 }, "uniform" to { 2 * random.nextDouble() })
        for ((name, nextGap) in others) {
            val result = test(sent(ratePerS, 20_000, nextGap), ratePerS)
            assertTrue(result.rateIsAsAsked)
            assertFalse(result.isAsAsked, "$name at $ratePerS/s: ${result.warning()}")
        }
    }

    @Test
    fun `arrivals of another rate are found`() {
        assertFalse(test(poisson(700.0, 2_000), 1000.0).isAsAsked)
    }

    @Test
    fun `bursts are found by their autocorrelation`() {
        val random = SplittableRandom(3)
        val gaps = DoubleArray(2000) { -ln(1 - random.nextDouble()) }.also { it.sort(0, 1000) }
        val result = checkNotNull(GapTest.of(gaps))
        assertTrue(result.lag1 > result.lag1Bound)
        assertFalse(result.isAsAsked)
    }

    @Test
    fun `too few requests tell nothing`() {
        assertNull(ArrivalTest.of(poisson(100.0, 20), 100.0))
    }
}
