package mwlab.loadgen.arrivals

/**
 * A rate that changes in steps, and its integral: how many arrivals are expected until a moment.
 *
 * Walks through the steps once: what it is asked for must not go back. Not thread-safe.
 */
internal class ChangingRate(steps: Sequence<RateStep>) {
    private val rest = steps.iterator()
    private var current = rest.next()
    private var following = nextOrNull()
    private var expectedAtStart = 0.0

    /** How many arrivals are expected in the first [seconds]. */
    fun expectedUntil(seconds: Double): Double {
        while (following.let { it != null && it.startS <= seconds }) advance()
        return expectedAtStart + (seconds - current.startS) * current.ratePerS
    }

    /** The second until which [arrivals] are expected; null if there will never be as many. */
    fun secondOf(arrivals: Double): Double? {
        while (true) {
            val seconds = current.startS + (arrivals - expectedAtStart) / current.ratePerS
            val end = following?.startS ?: Double.POSITIVE_INFINITY
            if (seconds < end) return seconds
            if (following == null) return null
            advance()
        }
    }

    private fun advance() {
        val next = checkNotNull(following)
        expectedAtStart += (next.startS - current.startS) * current.ratePerS
        current = next
        following = nextOrNull()
    }

    private fun nextOrNull() = if (rest.hasNext()) rest.next() else null
}
