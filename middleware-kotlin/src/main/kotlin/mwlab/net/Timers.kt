package mwlab.net

import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.delay
import java.util.TreeSet
import kotlin.time.Duration

/** A block that waits for its time on an [EventLoop]. [dispose] drops it: thread-safe, idempotent. */
class Timer internal constructor(
    private val loop: EventLoop,
    internal val deadlineNanos: Long,
    internal val block: Runnable,
) : DisposableHandle {
    internal var sequence = 0L

    override fun dispose() = if (loop.isCurrent) loop.timers.remove(this) else loop.execute { loop.timers.remove(this) }
}

/** The timers of one loop in the order of their deadlines; adding and removing cost O(log n). Not thread-safe. */
internal class Timers {
    private val waiting = TreeSet(compareBy<Timer>({ it.deadlineNanos }, { it.sequence }))
    private var added = 0L

    val firstDeadlineNanos: Long get() = if (waiting.isEmpty()) Long.MAX_VALUE else waiting.first().deadlineNanos

    fun add(timer: Timer) {
        timer.sequence = added++
        waiting.add(timer)
    }

    fun remove(timer: Timer) {
        waiting.remove(timer)
    }

    /** Nanoseconds until the first deadline, not positive if it has passed, [Long.MAX_VALUE] if there is none. */
    fun nanosToNext(now: Long): Long = if (waiting.isEmpty()) Long.MAX_VALUE else firstDeadlineNanos - now

    fun fire(now: Long) {
        while (nanosToNext(now) <= 0) waiting.pollFirst()?.block?.run()
    }
}

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
