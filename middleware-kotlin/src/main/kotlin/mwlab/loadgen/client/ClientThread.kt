package mwlab.loadgen.client

import mwlab.loadgen.arrivals.PoissonArrivals
import mwlab.loadgen.arrivals.SentTimes
import mwlab.loadgen.measure.ErrorLog
import mwlab.loadgen.measure.LiveCounters
import mwlab.loadgen.measure.LoopLag
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.measure.SecondStats
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

    /** When an open loop really sent. */
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
        val times = options.pacing.openRatePerS?.let { ratePerS ->
            PoissonArrivals(ratePerS, SplittableRandom(baseSeed).split().nextLong(), number, options.load.threads)
        }
        val perClient = options.output.clientStats != null
        val sent = sentTimes.takeIf { times != null }
        recorders = List(if (perClient) clients.size else 1) { ReplyRecorder(clock, live, errors, sent) }
        val open = times?.let { OpenLoop(loop, limit, it, recorders.first()::unsent) }
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

    private fun closedPace(limit: RunLimit, random: SplittableRandom, recorder: ReplyRecorder): Pace {
        val pacing = options.pacing
        return when {
            pacing.isLimited ->
                LimitedPace(loop, limit, pacing.rateLimitPerS, random.nextDouble(), recorder::omitted)

            pacing.thinkTime.isPositive() -> ThinkingPace(loop, limit, pacing.thinkTime)

            else -> EagerPace(limit, loop.clock)
        }
    }
}
