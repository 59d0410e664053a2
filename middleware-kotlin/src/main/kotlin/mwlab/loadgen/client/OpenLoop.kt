package mwlab.loadgen.client

import kotlinx.coroutines.channels.Channel
import mwlab.loadgen.arrivals.PoissonArrivals
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.request.SentRequest
import mwlab.net.EventLoop
import kotlin.math.min

/**
 * Arrivals that do not care whether earlier requests have been answered, for the clients of one event loop.
 *
 * The client that has been idle for longest serves the next arrival. While all are busy it waits here, and that time
 * counts in the response time from the intended send time, so a slow server cannot hide requests that it kept from
 * being sent (coordinated omission). The queue has no limit, as in the models: an overloaded server makes it grow until
 * the run ends. Confined to the loop's thread.
 *
 * @param onUnsent told, of each arrival that no client was free for before the run ended, when it was due and that end
 */
internal class OpenLoop(
    private val loop: EventLoop,
    private val limit: RunLimit,
    private val arrivals: PoissonArrivals,
    private val onUnsent: (dueNanos: Long, endNanos: Long) -> Unit,
) : Pace {
    private val due = Channel<Long>(Channel.UNLIMITED)

    /** Arrivals that no client was free for before the run ended. */
    var unsent = 0L
        private set

    override val mustWait get() = true

    override suspend fun awaitTurn(request: SentRequest): Boolean {
        val arrival = due.receiveCatching().getOrNull() ?: return false
        if (limit.isOver(loop.clock.nanos())) {
            giveUp(arrival, limit.endNanos)
            return false
        }
        request.isDue = true
        request.dueNanos = arrival
        return true
    }

    /** Produces the arrivals of the whole run; returns at its end, without a time when cancelled. */
    suspend fun produce() {
        try {
            while (true) {
                val arrival = limit.startNanos + arrivals.next()
                if (limit.isOver(arrival)) break
                loop.sleepUntil(arrival)
                due.trySend(arrival)
            }
            if (limit.isTimed) loop.sleepUntil(limit.endNanos)
        } finally {
            if (limit.isTimed) giveUpAll(min(loop.clock.nanos(), limit.endNanos))
            due.close()
        }
    }

    private fun giveUpAll(endNanos: Long) {
        while (true) giveUp(due.tryReceive().getOrNull() ?: return, endNanos)
    }

    private fun giveUp(dueNanos: Long, endNanos: Long) {
        unsent++
        onUnsent(dueNanos, endNanos)
    }
}
