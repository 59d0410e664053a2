package mwlab.loadgen.arrivals

import kotlin.math.exp
import kotlin.math.ln
import kotlin.math.pow

/** How times between arrivals are distributed around their mean, which is 1 here. */
enum class GapDistribution {
    EXPONENTIAL {
        override fun quantile(share: Double) = -ln(1 - share)
        override fun cumulated(gap: Double) = 1 - exp(-gap)
    },
    FIXED {
        override fun quantile(share: Double) = 1.0
        override fun cumulated(gap: Double) = if (gap < 1) 0.0 else 1.0
    },

    /** Between 0 and twice the mean. */
    UNIFORM {
        override fun quantile(share: Double) = 2 * share
        override fun cumulated(gap: Double) = (gap / 2).coerceIn(0.0, 1.0)
    },

    /**
     * Of Facebook's ETC pool: generalized Pareto from 0 with scale 16.0292 us and shape 0.154971, scaled to the mean.
     * Atikoglu et al. 2012, doi:10.1145/2254756.2254766, table 5.
     */
    ETC {
        override fun quantile(share: Double) = (1 - ETC_SHAPE) / ETC_SHAPE * ((1 - share).pow(-ETC_SHAPE) - 1)
        override fun cumulated(gap: Double) = 1 - (1 + ETC_SHAPE / (1 - ETC_SHAPE) * gap).pow(-1 / ETC_SHAPE)
    }, ;

    /** The gap that [share] (0 to 1, without 1) of all gaps do not exceed. */
    abstract fun quantile(share: Double): Double

    /** Which share of all gaps do not exceed [gap]. */
    abstract fun cumulated(gap: Double): Double
}

private const val ETC_SHAPE = 0.154971
