package mwlab.loadgen.arrivals

import mwlab.loadgen.request.RunClock
import java.util.SplittableRandom

/** Arrivals whose gaps are independent and have one distribution. */
internal class RenewalArrivals(
    ratePerS: Double,
    private val gaps: GapDistribution,
    private val random: SplittableRandom,
) : ArrivalTimes {
    private val meanGapNanos = RunClock.NANOS_PER_SECOND / ratePerS
    private var nextNanos = if (gaps == GapDistribution.FIXED) 0.0 else gapNanos()

    override fun next(): Long = nextNanos.toLong().also { nextNanos += gapNanos() }

    private fun gapNanos() = meanGapNanos * gaps.quantile(random.nextDouble())
}
