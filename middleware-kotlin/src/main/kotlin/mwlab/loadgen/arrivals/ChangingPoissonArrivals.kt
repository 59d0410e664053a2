package mwlab.loadgen.arrivals

import java.util.SplittableRandom
import kotlin.math.ln

/** A Poisson process whose rate changes, made from one of rate 1 by the inverse of the cumulated rate. */
internal class ChangingPoissonArrivals(private val rate: ChangingRate, private val random: SplittableRandom) :
    ArrivalTimes {
    private var expected = 0.0

    override fun next(): Long? {
        expected -= ln(1 - random.nextDouble())
        return rate.secondOf(expected)?.let { (it * NANOS_PER_S).toLong() }
    }

    private companion object {
        const val NANOS_PER_S = 1e9
    }
}
