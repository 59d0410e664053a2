package mwlab.loadgen.arrivals

import mwlab.loadgen.request.RunClock
import java.util.SplittableRandom
import kotlin.math.ln

/**
 * When requests of an open loop are due: one thread's part of a Poisson process, the [number]th of every [threads] arrivals.
 * All threads make the whole process from the same [seed]. Not thread-safe.
 */
internal class PoissonArrivals(ratePerS: Double, seed: Long, number: Int, private val threads: Int) {
    private val meanGapNanos = RunClock.NANOS_PER_SECOND / ratePerS
    private val random = SplittableRandom(seed)
    private var latestNanos = 0.0
    private var gaps = number + 1

    /** Nanoseconds from the start of the run to the next arrival, never less than before. */
    fun next(): Long {
        repeat(gaps) { latestNanos -= meanGapNanos * ln(1 - random.nextDouble()) }
        gaps = threads
        return latestNanos.toLong()
    }
}
