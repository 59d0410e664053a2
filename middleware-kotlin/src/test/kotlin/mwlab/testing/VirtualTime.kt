package mwlab.testing

import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.net.EventLoop
import mwlab.net.NanoClock
import kotlin.coroutines.resume
import kotlin.time.Duration

/**
 * A clock that jumps to the next timer of one loop as soon as nothing is left to run on that loop.
 *
 * What runs on the loop may wait for timers and for other work of the loop, but for no other thread.
 *
 * @param timersAreLateBy how much later than its deadline each timer fires, as on a real machine
 */
class VirtualTime(private val timersAreLateBy: Duration = Duration.ZERO) : NanoClock {
    @Volatile
    private var nowNanos = START_NANOS

    @Volatile
    private var isDriving = false

    /** Coroutines that wait in [settle]; confined to the loop. */
    private var settling = 0

    /** Virtual nanoseconds since the clock was made. */
    val elapsedNanos: Long get() = nowNanos - START_NANOS

    override fun nanos(): Long = nowNanos

    /** Moves the clock on, as if nothing had run for [duration]; due timers fire in the next turn of the loop. */
    fun skip(duration: Duration) {
        nowNanos += duration.inWholeNanoseconds
    }

    /** Lets the clock jump from now on until [stop]; [onStuck] runs when no timer is left. To be called on [loop]. */
    fun drive(loop: EventLoop, onStuck: () -> Unit) {
        isDriving = true
        loop.atEndOfTurn { advance(loop, onStuck) }
    }

    /** Suspends until nothing is left to run at this moment; on [loop]. */
    suspend fun settle(loop: EventLoop) = suspendCancellableCoroutine { continuation ->
        settling++
        loop.atEndOfTurn {
            settling--
            continuation.resume(Unit)
        }
    }

    /** The clock stands still again. */
    fun stop() {
        isDriving = false
    }

    /** At the end of a turn, when all coroutines wait: nothing can happen before the first timer. */
    private fun advance(loop: EventLoop, onStuck: () -> Unit, rounds: Int = 0) {
        if (!isDriving) return
        if (settling > 0) return loop.atEndOfTurn { advance(loop, onStuck) }
        // What else waits for the end of the turn, as writes do, belongs to this moment.
        if (rounds < ROUNDS) return loop.atEndOfTurn { advance(loop, onStuck, rounds + 1) }
        val next = loop.timers.firstDeadlineNanos
        if (next == Long.MAX_VALUE) return onStuck()
        nowNanos = maxOf(nowNanos, next + timersAreLateBy.inWholeNanoseconds)
        loop.startTimer(nowNanos) { loop.atEndOfTurn { advance(loop, onStuck) } }
    }

    private companion object {
        /** Writes at the end of a turn may be answered at once, and lead to others. */
        const val ROUNDS = 3

        /** Not 0, which stands for "never" in some stamps. */
        const val START_NANOS = 1_000_000_000L
    }
}
