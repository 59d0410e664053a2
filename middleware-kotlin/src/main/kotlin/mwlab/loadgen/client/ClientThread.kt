package mwlab.loadgen.client

import mwlab.loadgen.measure.ErrorLog
import mwlab.loadgen.measure.LiveCounters
import mwlab.loadgen.measure.LoopLag
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.measure.RunClock
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.measure.SampleFile
import mwlab.loadgen.measure.Sampler
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.options.Arrivals
import mwlab.loadgen.options.Options
import mwlab.loadgen.workload.TraceShare
import mwlab.net.EventLoop
import java.util.SplittableRandom

/**
 * One of memtier's threads: an event loop, its clients, and what they measured.
 *
 * @param trace what this thread replays, or null
 */
internal class ClientThread(
    private val options: Options,
    val loop: EventLoop,
    val clients: List<Client>,
    private val trace: TraceShare?,
) {
    val live = LiveCounters()
    val lag = LoopLag(loop)

    /** One for all clients, or one each if per-client statistics are asked for. */
    var recorders: List<ReplyRecorder> = emptyList()
        private set
    var arrivals: OpenLoop? = null
        private set
    private var busyNanosAtStart = 0L
    private var sampler: Sampler? = null

    /** Gives each client its recorder and its pace; to be called once the start of the run is known. */
    fun prepare(
        clock: RunClock,
        limit: RunLimit,
        number: Int,
        seed: Long,
        errors: ErrorLog,
        samples: SampleFile?,
    ): List<Pair<ReplyRecorder, Pace>> {
        busyNanosAtStart = loop.busyNanos
        val random = SplittableRandom(seed)
        val open = (options.pacing.arrivals as? Arrivals.Open)?.let { openLoop(it, limit, number, random.split()) }
            ?: trace?.let { OpenLoop(loop, limit, it) }
        arrivals = open
        val common = if (open != null && trace != null) ReplayPace(open, limit.startNanos, trace) else open
        sampler = options.output.sample?.oneOf?.let { oneOf ->
            samples?.let { Sampler(it, oneOf, clock, SplittableRandom(seed.inv())) }
        }
        val perClient = options.output.clientStats != null
        recorders = List(if (perClient) clients.size else 1) { ReplyRecorder(clock, live, errors, sampler) }
        return clients.indices.map { index ->
            recorders[if (perClient) index else 0] to (common ?: closedPace(limit, index, random.split()))
        }
    }

    /** To be called when the clients have ended. */
    fun finish() {
        sampler?.flush()
    }

    /** Share of the time since [prepare] in which the loop was not waiting for anything. */
    fun utilization(elapsedNanos: Long): Double = (loop.busyNanos - busyNanosAtStart).toDouble() / elapsedNanos

    /** What each client measured, second by second; only with per-client statistics. */
    fun perClient(): List<List<SecondStats>> = recorders.map { it.seconds }

    /** Each thread makes its part of the arrivals: Poisson processes add up to one, fixed gaps interleave. */
    private fun openLoop(arrivals: Arrivals.Open, limit: RunLimit, number: Int, random: SplittableRandom): OpenLoop {
        val threads = options.load.threads
        val phase = number.toDouble() / threads
        return OpenLoop(loop, limit, RandomArrivals(arrivals.ratePerS / threads, arrivals.poisson, phase, random))
    }

    private fun closedPace(limit: RunLimit, index: Int, random: SplittableRandom): Pace {
        val arrivals = options.pacing.arrivals
        return when {
            options.pacing.rateLimit > 0 ->
                LimitedPace(loop, limit, options.pacing.rateLimit, index.toDouble() / clients.size)

            arrivals is Arrivals.Closed && arrivals.thinkTime.isPositive() ->
                ThinkingPace(loop, limit, arrivals, random)

            else -> EagerPace(limit)
        }
    }
}
