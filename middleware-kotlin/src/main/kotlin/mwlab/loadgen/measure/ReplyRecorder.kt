package mwlab.loadgen.measure

import mwlab.loadgen.arrivals.SentTimes
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.SentRequest

/**
 * Takes down what happens on the connections of one event loop (or, for per-client statistics, on one connection).
 *
 * Confined to the thread of its loop, except [live]; [seconds] may be read when that loop has ended.
 *
 * @param sentTimes keeps when requests are sent, in an open loop
 */
internal class ReplyRecorder(
    private val clock: RunClock,
    private val live: LiveCounters,
    private val errors: ErrorLog,
    private val sentTimes: SentTimes? = null,
) {
    private val recorded = ArrayList<SecondStats>()
    private var current = SecondStats().also { recorded += it }
    private var endOfCurrent = clock.startOf(1)

    /** Index is the second of the run. */
    val seconds: List<SecondStats> get() = recorded

    /** When the last reply came, on the clock of the loop; the start of the run if none did. */
    var lastReplyNanos = clock.startNanos
        private set

    /** A request is on its way. */
    fun sent(request: SentRequest) {
        live.addSent()
        sentTimes?.add(request.sentNanos)
    }

    /** Requests of clients with a rate that were due and never sent, since their clients were held up. */
    var omitted = 0L
        private set

    /** An arrival that no client was free for until the run ended at [endNanos]; it counts in the second in which it was due. */
    fun unsent(dueNanos: Long, endNanos: Long) =
        dueAt(dueNanos).recordUnsent((endNanos - dueNanos) / RunClock.NANOS_PER_MICRO)

    /** A request of a client with a rate that is never sent, and has waited until [nowNanos]; it counts as in [unsent]. */
    fun omitted(dueNanos: Long, nowNanos: Long) {
        omitted++
        unsent(dueNanos, nowNanos)
    }

    /** A reply at [repliedNanos] that answers [request]. */
    fun reply(request: SentRequest, hits: Int, bytes: Int, repliedNanos: Long) {
        val second = at(repliedNanos)
        val stats = second[request.operation]
        val responseTimeUs = (repliedNanos - request.sentNanos) / RunClock.NANOS_PER_MICRO
        second.slices.record(repliedNanos - (endOfCurrent - RunClock.NANOS_PER_SECOND), responseTimeUs)
        stats.record(responseTimeUs, request.keys, hits, request.bytes, bytes)
        if (request.isDue) stats.recordIntended((repliedNanos - request.dueNanos) / RunClock.NANOS_PER_MICRO)
        lastReplyNanos = repliedNanos
        live.addReply(responseTimeUs, request.bytes + bytes)
    }

    /** A reply at [repliedNanos] that says that the request failed. */
    fun errorReply(request: SentRequest, line: String, repliedNanos: Long) {
        at(repliedNanos)[request.operation].recordError()
        lastReplyNanos = repliedNanos
        live.addError()
        errors.reply(line)
    }

    /** A request whose reply has not come until [nowNanos], when the run is over: its wait counts in the second in which it was due. */
    fun unanswered(request: SentRequest, nowNanos: Long) {
        val waitUs = (nowNanos - request.dueNanos) / RunClock.NANOS_PER_MICRO
        if (request.isDue) dueAt(request.dueNanos)[request.operation].recordIntended(waitUs)
    }

    /** A connection that was refused, dropped or given up. */
    fun connectionError(nanos: Long, failure: Exception) {
        at(nanos).recordConnectionError()
        live.addConnectionError()
        errors.connection(failure)
    }

    private fun dueAt(dueNanos: Long): SecondStats {
        at(dueNanos)
        return recorded[((dueNanos - clock.startNanos) / RunClock.NANOS_PER_SECOND).toInt()]
    }

    private fun at(nanos: Long): SecondStats {
        while (nanos >= endOfCurrent) {
            current.pack()
            current = SecondStats().also { recorded += it }
            endOfCurrent += RunClock.NANOS_PER_SECOND
        }
        return current
    }
}
