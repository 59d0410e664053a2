package mwlab.loadgen.client

import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.options.Arrivals
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.SentRequest
import mwlab.net.EventLoop
import java.util.SplittableRandom
import kotlin.math.ln
import kotlin.math.max
import kotlin.math.min

/** The next request leaves as soon as the pipeline has room: with one outstanding request, when the reply is there. */
internal class EagerPace(private val limit: RunLimit) : Pace {
    override val mustWait get() = false

    override suspend fun awaitTurn(request: SentRequest): Boolean = !limit.isOver(System.nanoTime())
}

/** The client thinks between a reply and its next request: Z of the interactive law. */
internal class ThinkingPace(
    private val loop: EventLoop,
    private val limit: RunLimit,
    private val thinkTime: Arrivals.Closed,
    private val random: SplittableRandom,
) : Pace {
    private var isFirst = true
    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        request.dueNanos = if (isFirst) 0 else min(System.nanoTime() + nextThinkNanos(), limit.endNanos)
        if (!isFirst) loop.sleepUntil(request.dueNanos)
        isFirst = false
        return !limit.isOver(System.nanoTime())
    }

    private fun nextThinkNanos(): Long {
        val mean = thinkTime.thinkTime.inWholeNanoseconds
        return if (thinkTime.exponential) (-mean * ln(1 - random.nextDouble())).toLong() else mean
    }
}

/**
 * At most [ratePerS] requests per second, evenly spaced, where memtier sends them in bursts. A client that was held up
 * catches up with at most [CATCH_UP_NANOS] worth of requests.
 *
 * @param phase 0 to 1: where in the first interval to begin, so that connections do not send in step
 */
internal class LimitedPace(private val loop: EventLoop, private val limit: RunLimit, ratePerS: Int, phase: Double) :
    Pace {
    private val intervalNanos = RunClock.NANOS_PER_SECOND / ratePerS
    private var dueNanos = limit.startNanos + (phase * intervalNanos).toLong()
    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        loop.sleepUntil(min(dueNanos, limit.endNanos))
        val now = System.nanoTime()
        dueNanos = max(dueNanos, now - CATCH_UP_NANOS) + intervalNanos
        return !limit.isOver(now)
    }

    private companion object {
        const val CATCH_UP_NANOS = 20 * RunClock.NANOS_PER_MILLI
    }
}
