package mwlab.loadgen.arrivals

import mwlab.loadgen.request.RunClock
import kotlin.math.abs
import kotlin.math.ceil
import kotlin.math.max
import kotlin.math.pow
import kotlin.math.sqrt

/**
 * Whether requests were sent as a Poisson process of the rate that was asked for.
 *
 * @property rateRatio requests sent over requests asked for, in the time of the first gaps that were kept
 * @property expected requests asked for in that time
 * @property gaps the test of the gaps; null if they are too few, or too short for timers
 */
internal class ArrivalTest(val rateRatio: Double, val expected: Double, val gaps: GapTest?) {
    val rateIsAsAsked: Boolean get() = abs(rateRatio - 1) < RATE_TOLERANCE + STANDARD_ERRORS / sqrt(expected)

    val isAsAsked: Boolean get() = rateIsAsAsked && gaps?.isAsAsked != false

    fun warning(): String = "warning: requests were not sent as asked for (" +
        "%.3f times the rate".format(rateRatio) +
        gaps?.let {
            ", Anderson-Darling %.3f, p = %.4f, lag-1 autocorrelation %.3f".format(it.statistic, it.pValue, it.lag1)
        }
            .orEmpty() + "): use more clients, more threads or more hosts."

    companion object {
        private const val RATE_TOLERANCE = 0.01
        private const val STANDARD_ERRORS = 4.0

        /** @param sentNanos ascending; null if there are too few to tell anything */
        fun of(sentNanos: LongArray, ratePerS: Double): ArrivalTest? {
            if (sentNanos.size < GapTest.FEWEST) return null
            val expected = ratePerS * (sentNanos.last() - sentNanos.first()) / RunClock.NANOS_PER_SECOND
            return ArrivalTest((sentNanos.size - 1) / expected, expected, gapTest(sentNanos))
        }

        private fun gapTest(sentNanos: LongArray): GapTest? {
            val meanGapNanos = (sentNanos.last() - sentNanos.first()).toDouble() / (sentNanos.size - 1)
            val stages = ceil(
                max(LEAST_MEAN_NANOS / meanGapNanos, (LEAST_DEVIATION_NANOS / meanGapNanos).pow(2)),
            ).toInt()
            if (stages > GapTest.MOST_STAGES) return null
            return GapTest.of(
                DoubleArray(sentNanos.size - 1) {
                    (sentNanos[it + 1] - sentNanos[it]).toDouble()
                },
                stages,
            )
        }

        /** Timers are late by some tens of microseconds, which shows unless what is tested is longer and varies by much more. */
        private const val LEAST_MEAN_NANOS = 1e6
        private const val LEAST_DEVIATION_NANOS = 3e5
    }
}

/**
 * Whether gaps are independent and exponentially distributed.
 *
 * Of all gaps, [GapTest.MOST] successive ones in the middle are tested: more would find fault with any real timer. Where
 * gaps are short, sums of several take their place, whose distribution is Erlang's.
 *
 * @property stages gaps in each sum
 * @property n sums that were tested
 * @property statistic of Anderson and Darling in Stephens' modification
 * @property lag1 autocorrelation of successive sums
 */
internal class GapTest(val stages: Int, val n: Int, val statistic: Double, val lag1: Double) {
    val pValue: Double get() = AndersonDarling.pValue(statistic)

    /** 95 % of independent samples have an autocorrelation of at most this. */
    val lag1Bound: Double get() = QUANTILE_975 / sqrt(n.toDouble())

    /** Both tests at 1 %: a warning that comes with every tenth run is not read. */
    val isAsAsked: Boolean get() = pValue >= LEVEL && abs(lag1) <= QUANTILE_995 / sqrt(n.toDouble())

    companion object {
        const val MOST = 2_000
        const val FEWEST = 50
        const val MOST_STAGES = 500
        private const val LEVEL = 0.01
        private const val QUANTILE_975 = 1.96
        private const val QUANTILE_995 = 2.576

        /** @return null if there are too few gaps */
        fun of(gaps: DoubleArray, stages: Int = 1): GapTest? {
            val n = minOf(gaps.size / stages, MOST)
            if (n < FEWEST) return null
            val first = (gaps.size - n * stages) / 2
            val sums = DoubleArray(n) { sum -> (0 until stages).sumOf { gaps[first + sum * stages + it] } }
            return GapTest(stages, n, AndersonDarling.statistic(sums, stages), lag1(sums))
        }

        private fun lag1(values: DoubleArray): Double {
            val mean = values.average()
            val variance = values.sumOf { (it - mean) * (it - mean) }
            return (1 until values.size).sumOf { (values[it] - mean) * (values[it - 1] - mean) } / variance
        }
    }
}
