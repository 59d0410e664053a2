package mwlab.loadgen.arrivals

import kotlin.math.exp
import kotlin.math.ln

/** The Anderson-Darling test for an exponential distribution whose mean is estimated from the sample. */
internal object AndersonDarling {
    /**
     * A^2 in Stephens' modification for this case, (1 + 0.6/n) A^2.
     *
     * @param values positive or 0, at least two of them different
     * @param stages what is summed up in each value: that many gaps, so that its distribution is Erlang's with as many stages
     */
    fun statistic(values: DoubleArray, stages: Int = 1): Double {
        val mean = values.average()
        val shares = values.map { erlang(stages, stages * it / mean).coerceIn(LEAST, 1 - LEAST) }.sorted()
        val n = shares.size
        val sum = (0 until n).sumOf { (2 * it + 1) * (ln(shares[it]) + ln(1 - shares[n - 1 - it])) }
        return (-n - sum / n) * (1 + 0.6 / n)
    }

    /**
     * How likely a statistic of this size is if the values are exponentially distributed; for values of several stages
     * it is less likely than that, at 5 % by a third at most.
     *
     * D'Agostino & Stephens 1986, Goodness-of-Fit Techniques, table 4.14.
     */
    fun pValue(statistic: Double): Double = when {
        statistic < 0.26 -> 1 - exp(-12.2204 + 67.459 * statistic - 110.3 * statistic * statistic)
        statistic < 0.51 -> 1 - exp(-6.1327 + 20.218 * statistic - 18.663 * statistic * statistic)
        statistic < 0.95 -> exp(0.9209 - 3.353 * statistic + 0.3 * statistic * statistic)
        statistic < 10 -> exp(0.731 - 3.009 * statistic + 0.15 * statistic * statistic)
        else -> 0.0
    }

    /** Share of the sums of [stages] exponentially distributed values of mean 1 that do not exceed [x]. */
    private fun erlang(stages: Int, x: Double): Double {
        var term = exp(-x)
        var above = term
        for (stage in 1 until stages) {
            term *= x / stage
            above += term
        }
        return 1 - above
    }

    private const val LEAST = 1e-12
}
