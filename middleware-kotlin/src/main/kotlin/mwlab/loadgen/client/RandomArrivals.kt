package mwlab.loadgen.client

import mwlab.loadgen.arrivals.ArrivalTimes
import mwlab.loadgen.measure.RunClock
import java.util.SplittableRandom
import kotlin.math.ln

/**
 * Arrivals of an open loop at a given rate, without end. Not thread-safe.
 *
 * @param poisson gaps are exponentially distributed, otherwise all the same
 * @param phase 0 to 1, for fixed gaps: where in the first gap to begin
 */
internal class RandomArrivals(
    ratePerS: Double,
    private val poisson: Boolean,
    phase: Double,
    private val random: SplittableRandom,
) : ArrivalTimes {
    private val meanGapNanos = RunClock.NANOS_PER_SECOND / ratePerS
    private var nextNanos = if (poisson) gapNanos() else phase * meanGapNanos

    override fun next(): Long = nextNanos.toLong().also { nextNanos += gapNanos() }

    private fun gapNanos(): Double = if (poisson) -meanGapNanos * ln(1 - random.nextDouble()) else meanGapNanos
}
