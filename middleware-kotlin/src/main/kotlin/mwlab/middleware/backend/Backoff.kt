package mwlab.middleware.backend

import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * How long to wait before the next attempt: not at all, then twice as long each time up to [longest], with up to half of it
 * left to chance, so that the connections of all workers do not return in one moment. Not thread-safe.
 */
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
