package mwlab.loadgen.search

import kotlin.math.sqrt

/**
 * Searches the highest rate that passes: doubles or halves the first one until one passes and one fails, then bisects,
 * and at last tries what it found once more, since a rate near the edge may pass by chance.
 *
 * Pure: to be asked for the [next] rate, and told with [note] whether it passed. Ends after [MOST_STEPS] rates at most.
 *
 * @param precision the bracket's relative width at which to stop
 */
internal class RateSearch(private val firstPerS: Double, private val precision: Double = PRECISION) {
    private class Tried(val ratePerS: Double, val passed: Boolean)

    private val tried = ArrayList<Tried>()

    /** The lowest rate that failed. */
    val failingPerS: Double? get() = tried.filter { !it.passed }.minOfOrNull { it.ratePerS }

    /** The highest rate that passed and below which none failed. */
    val passingPerS: Double? get() {
        val failing = failingPerS ?: Double.POSITIVE_INFINITY
        return tried.filter { it.passed && it.ratePerS < failing }.maxOfOrNull { it.ratePerS }
    }

    /** Whether the search came to its end. */
    val isDone: Boolean get() = isNarrow && timesPassed(checkNotNull(passingPerS)) > 1

    /** The rate to try next; null: there is no more to do. */
    val next: Double? get() {
        val (passing, failing) = passingPerS to failingPerS
        val rate = when {
            tried.size == MOST_STEPS || isDone -> null
            passing == null && failing == null -> firstPerS
            passing == null -> checkNotNull(failing) / 2
            failing == null -> passing * 2
            isNarrow -> passing
            else -> sqrt(passing * failing)
        }
        return rate?.takeIf { it in LOWEST_PER_S..HIGHEST_PER_S }
    }

    private val isNarrow: Boolean get() {
        val (passing, failing) = passingPerS to failingPerS
        return passing != null && failing != null && failing <= passing * (1 + precision)
    }

    fun note(ratePerS: Double, passed: Boolean) {
        tried += Tried(ratePerS, passed)
    }

    private fun timesPassed(ratePerS: Double) = tried.count { it.passed && it.ratePerS == ratePerS }

    companion object {
        const val PRECISION = 0.025
        const val MOST_STEPS = 30
        private const val LOWEST_PER_S = 1.0
        private const val HIGHEST_PER_S = 1e7
    }
}
