package mwlab.loadgen.client

import mwlab.loadgen.arrivals.ArrivalTimes
import mwlab.loadgen.arrivals.AskedArrivals
import mwlab.loadgen.arrivals.DealtArrivals
import mwlab.loadgen.arrivals.SentTimes
import mwlab.loadgen.measure.ErrorLog
import mwlab.loadgen.measure.LiveCounters
import mwlab.loadgen.measure.LoopLag
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.options.Arrivals
import mwlab.loadgen.options.Options
import mwlab.loadgen.request.RunClock
import mwlab.net.EventLoop
import java.util.SplittableRandom

/** One of memtier's threads: an event loop, its clients, and what they measured. */
internal class ClientThread(private val options: Options, val loop: EventLoop, val clients: List<Client>) {
    val live = LiveCounters()
    val lag = LoopLag(loop)

    /** One for all clients, or one each if per-client statistics are asked for. */
    var recorders: List<ReplyRecorder> = emptyList()
        private set
    var arrivals: OpenLoop? = null
        private set

    /** What the open loop should do, and when it really sent; null in a closed one. */
    var asked: AskedArrivals? = null
        private set
    val sentTimes = SentTimes()
    private var cpuNanosAtStart = 0L

    /** Gives each client its recorder and its pace; to be called once the start of the run is known. */
    fun prepare(
        clock: RunClock,
        limit: RunLimit,
        number: Int,
        baseSeed: Long,
        errors: ErrorLog,
    ): List<Pair<ReplyRecorder, Pace>> {
        cpuNanosAtStart = loop.cpuNanos
        val random = SplittableRandom(baseSeed + number)
        asked = (options.pacing.arrivals as? Arrivals.Open)?.let {
            AskedArrivals(it.rate, it.gaps, SplittableRandom(baseSeed).split().nextLong())
        }
        val perClient = options.output.clientStats != null
        val sent = sentTimes.takeIf { asked != null }
        recorders = List(if (perClient) clients.size else 1) { ReplyRecorder(clock, live, errors, sent) }
        val open = arrivalTimes(number)?.let { OpenLoop(loop, limit, it, recorders.first()::unsent) }
        arrivals = open
        return clients.indices.map { index ->
            val recorder = recorders[if (perClient) index else 0]
            recorder to (open ?: closedPace(limit, random.split(), recorder))
        }
    }

    /** Share of the time since [prepare] in which the loop's thread ran on a processor. */
    fun utilization(elapsedNanos: Long): Double = (loop.cpuNanos - cpuNanosAtStart).toDouble() / elapsedNanos

    /** What each client measured, second by second; only with per-client statistics. */
    fun perClient(): List<List<SecondStats>> = recorders.map { it.seconds }

    /** When this thread's part of the requests is due; null in a closed loop. */
    private fun arrivalTimes(number: Int): ArrivalTimes? =
        asked?.let { DealtArrivals(it.times(), number, options.load.threads) }

    private fun closedPace(limit: RunLimit, random: SplittableRandom, recorder: ReplyRecorder): Pace {
        val arrivals = options.pacing.arrivals
        return when {
            options.pacing.isLimited ->
                LimitedPace(loop, limit, options.pacing.rateLimitPerS, random.nextDouble(), recorder::omitted)

            arrivals is Arrivals.Closed && arrivals.thinkTime.isPositive() ->
                ThinkingPace(loop, limit, arrivals, random)

            else -> EagerPace(limit, loop.clock)
        }
    }
}
