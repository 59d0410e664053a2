package mwlab.middleware.backend

import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The wait before an attempt: none, then doubled up to [longest]; up to half is chance, so that not all return in one moment. */
internal class Backoff(private val random: Random = Random.Default, private val longest: Duration = 2.seconds) {
    private var next = Duration.ZERO

    fun next(): Duration {
        val wait = next
        next = minOf(maxOf(wait * 2, SHORTEST), longest)
        return wait * (1 - random.nextDouble() / 2)
    }

    fun reset() {
        next = Duration.ZERO
    }

    private companion object {
        val SHORTEST = 20.milliseconds
    }
}
