package mwlab.loadgen.arrivals

import java.util.SplittableRandom
import kotlin.math.ln

/** The arrivals of a run, as they were asked for: the same ones whenever they are made from the same [seed]. */
internal class AskedArrivals(private val rate: Rate, private val gaps: GapDistribution, private val seed: Long) {
    /** Whether they are a Poisson process, of a rate that may change. */
    val isPoisson: Boolean get() = gaps == GapDistribution.EXPONENTIAL

    /** Whether gaps are random, and so a matter of tests. */
    val isRandom: Boolean get() = gaps != GapDistribution.FIXED

    /** From the start of the run, to be taken once. */
    fun times(): ArrivalTimes = when (rate) {
        is Rate.Constant -> RenewalArrivals(rate.perS, gaps, SplittableRandom(seed))
        else -> ChangingPoissonArrivals(changingRate(), SplittableRandom(seed).split())
    }

    /** Arrivals that are expected within the first [seconds]. */
    fun expectedUntil(seconds: Double): Double = changingRate().expectedUntil(seconds)

    /**
     * The gaps between arrivals at these times on a scale on which they are independent, exponentially distributed and
     * 1 on average, if the arrivals are what was asked for: by the cumulated rate, and by the distribution of the gaps.
     *
     * @param nanos since the start of the run, ascending
     */
    fun standardGaps(nanos: LongArray): DoubleArray {
        val expected = changingRate()
        val cumulated = DoubleArray(nanos.size) { expected.expectedUntil(nanos[it] / NANOS_PER_S) }
        val smallestShare = 1.0 / (2 * nanos.size)
        return DoubleArray((nanos.size - 1).coerceAtLeast(0)) { index ->
            val gap = cumulated[index + 1] - cumulated[index]
            if (isPoisson) gap else -ln(1 - gaps.cumulated(gap).coerceIn(smallestShare, 1 - smallestShare))
        }
    }

    private fun changingRate() = ChangingRate(rate.steps(SplittableRandom(seed)))

    private companion object {
        const val NANOS_PER_S = 1e9
    }
}
