package mwlab.net

import kotlinx.coroutines.delay
import kotlin.time.Duration

/**
 * Calls [look] with the time of the clock every [interval], until cancelled: how time limits are kept. Call it on the loop.
 *
 * A look that comes more than one interval late is left out, and the next one is not: while the thread stood still (a garbage collection,
 * a machine that was stopped or overloaded), peers may have answered in time, and nobody has read it yet.
 */
internal suspend fun EventLoop.watch(interval: Duration, look: (nanos: Long) -> Unit): Nothing {
    var isLeftOut = false
    while (true) {
        val dueNanos = clock.nanos() + interval.inWholeNanoseconds
        delay(interval)
        val nanos = clock.nanos()
        isLeftOut = !isLeftOut && nanos - dueNanos > interval.inWholeNanoseconds
        if (!isLeftOut) look(nanos)
    }
}
