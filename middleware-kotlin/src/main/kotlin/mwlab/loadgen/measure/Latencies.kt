package mwlab.loadgen.measure

import org.HdrHistogram.Histogram
import java.math.BigDecimal
import java.math.RoundingMode

/** Reading response times out of a histogram as memtier does: in milliseconds, at the upper edge of the bucket. */
internal object Latencies {
    /** Steps of the printed distribution: ten for each halving of the distance to 100 %. */
    private const val TICKS_PER_HALF_DISTANCE = 10
    private const val HALF = 0.5
    private const val EMPTY_PERCENTILE_MS = 0.007

    /** The value of nearest rank, as C's HdrHistogram has it: Java's rounds the rank up. */
    fun percentileMs(histogram: Histogram, percentile: Double): Double {
        val rank = (percentile / MOST_PERCENT * histogram.totalCount + HALF).toLong().coerceAtLeast(1)
        val step = histogram.recordedValues().find { it.totalCountToThisValue >= rank }
        return if (step == null) EMPTY_PERCENTILE_MS else ms(step.valueIteratedTo)
    }

    fun minMs(histogram: Histogram): Double = ms(histogram.minValue)

    fun maxMs(histogram: Histogram): Double = ms(histogram.maxValue)

    fun meanMs(histogram: Histogram): Double = histogram.mean / US_PER_MS

    fun stddevMs(histogram: Histogram): Double = histogram.stdDeviation / US_PER_MS

    /** Response time and percentile up to 100 %; one step at 0 for an empty histogram. */
    fun distribution(histogram: Histogram): List<Step> {
        if (histogram.totalCount == 0L) return listOf(Step(0.0, MOST_PERCENT, 0))
        return histogram.percentiles(TICKS_PER_HALF_DISTANCE).map { step ->
            Step(ms(step.valueIteratedTo), step.percentileLevelIteratedTo, step.totalCountToThisValue)
        }
    }

    /** @property count of response times up to [ms] */
    class Step(val ms: Double, val percent: Double, val count: Long)

    private fun ms(us: Long): Double = us / US_PER_MS

    const val MOST_PERCENT = 100.0
    private const val US_PER_MS = 1000.0
}

/** A number with a fixed count of decimals, rounded as C's printf does: exactly, and ties to even. */
internal fun Double.fixed(decimals: Int): String =
    BigDecimal(this).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString()
