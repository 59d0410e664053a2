package mwlab.loadgen.client

import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.SentRequest
import mwlab.net.EventLoop
import mwlab.net.NanoClock
import kotlin.math.max
import kotlin.math.min
import kotlin.time.Duration

/** The next request leaves as soon as the pipeline has room: with one outstanding request, when the reply is there. */
internal class EagerPace(private val limit: RunLimit, private val clock: NanoClock) : Pace {
    override val mustWait get() = false

    override suspend fun awaitTurn(request: SentRequest): Boolean = !limit.isOver(clock.nanos())
}

/**
 * The client thinks between a reply and its next request: Z of the interactive law.
 *
 * A timer is late by some tens of microseconds. What a client has thought longer than it should, it thinks less the next
 * time, so that the mean is as asked: at most [MOST_OWED] think times, since a pause of the whole process is no thinking.
 */
internal class ThinkingPace(private val loop: EventLoop, private val limit: RunLimit, thinkTime: Duration) : Pace {
    private val thinkNanos = thinkTime.inWholeNanoseconds
    private var isFirst = true

    /** When its latest request should have been sent. */
    private var wantedNanos = 0L

    /** How much longer it has thought than it should. */
    private var owedNanos = 0L
    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        if (isFirst) request.dueNanos = 0 else think(request)
        isFirst = false
        return !limit.isOver(loop.clock.nanos())
    }

    /** Without a pipeline, what is known of the latest request stands in [request], unless its connection broke. */
    private suspend fun think(request: SentRequest) {
        if (request.hasReply && request.dueNanos != 0L) {
            owedNanos = (owedNanos + request.sentNanos - wantedNanos).coerceIn(0, MOST_OWED * thinkNanos)
        }
        val startNanos = if (request.hasReply) request.lastByteNanos else loop.clock.nanos()
        wantedNanos = startNanos + thinkNanos
        request.dueNanos = min(max(wantedNanos - owedNanos, startNanos), limit.endNanos)
        loop.sleepUntil(request.dueNanos)
    }

    private companion object {
        const val MOST_OWED = 100
    }
}

/**
 * [ratePerS] requests per second, evenly spaced, where memtier sends them in bursts.
 *
 * Each is due at a time that no reply moves, and its wait counts from there (`"Latency from intended send time"`), its
 * response time from when it was sent. A client that was held up sends what it has missed in the latest
 * [CATCH_UP_NANOS], one after the reply to the other, and omits what is older: its times stay where they were, so that
 * clients that were held up together do not send in step from then on.
 *
 * @param phase 0 to 1: where in the first interval to begin, so that clients do not send in step
 * @param onOmitted told, of each request that was due during the run and is never sent, when it was due and until when it has waited
 */
internal class LimitedPace(
    private val loop: EventLoop,
    private val limit: RunLimit,
    ratePerS: Double,
    private val phase: Double,
    private val onOmitted: (dueNanos: Long, nowNanos: Long) -> Unit,
) : Pace {
    private val intervalNanos = RunClock.NANOS_PER_SECOND / ratePerS
    private var firstNanos = 0L

    /** Number of the next request; those that were omitted are counted. */
    private var next = -1L
    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        val nowNanos = loop.clock.nanos()
        if (next < 0) {
            firstNanos = nowNanos + (phase * intervalNanos).toLong()
            next = 0
        }
        omitUntil(min(nowNanos - CATCH_UP_NANOS, limit.endNanos), nowNanos)
        request.isDue = true
        request.dueNanos = dueNanos(next)
        loop.sleepUntil(min(request.dueNanos, limit.endNanos))
        val isOver = limit.isOver(loop.clock.nanos())
        // A client that was free in time was not held up, even if its timer fires after the end.
        if (!isOver || nowNanos <= request.dueNanos) next++
        return !isOver
    }

    /** Omits what was due before the end of a timed run; without a time, the client has sent all that it had to. */
    override fun stop() {
        val nowNanos = loop.clock.nanos()
        if (limit.isTimed && next >= 0) omitUntil(min(nowNanos, limit.endNanos), nowNanos)
    }

    private fun omitUntil(limitNanos: Long, nowNanos: Long) {
        while (dueNanos(next) < limitNanos) onOmitted(dueNanos(next++), nowNanos)
    }

    private fun dueNanos(number: Long) = firstNanos + (number * intervalNanos).toLong()

    private companion object {
        const val CATCH_UP_NANOS = RunClock.NANOS_PER_SECOND
    }
}
