package mwlab.loadgen

import com.sun.management.OperatingSystemMXBean
import kotlinx.coroutines.Job
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.loadgen.client.Client
import mwlab.loadgen.client.ClientThread
import mwlab.loadgen.client.Pace
import mwlab.loadgen.client.Rehearsal
import mwlab.loadgen.measure.ErrorLog
import mwlab.loadgen.measure.FollowedRequests
import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.options.Options
import mwlab.loadgen.report.Progress
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.result.RunResult
import mwlab.loadgen.result.runResult
import mwlab.loadgen.workload.ValueSequence
import mwlab.loadgen.workload.Workload
import mwlab.net.EventLoop
import mwlab.net.NanoClock
import mwlab.net.Transport
import mwlab.net.loop.LoopTransport
import mwlab.net.numeric
import java.io.IOException
import java.lang.management.ManagementFactory
import java.net.ConnectException
import java.net.SocketAddress
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

/**
 * One iteration of the test: connects all clients, starts them at the same moment, and returns when the last has ended.
 *
 * It always ends: a timed run at its time plus the grace for outstanding replies, any other when nothing moves any more, see
 * [StallDetector].
 *
 * @param interruption ends the run early
 * @param followed where single requests are followed
 * @param startSignal tells when the clients start; null: as soon as they are connected
 * @param transport opens the connections of the clients
 * @param rehearses whether a [Rehearsal] comes before the run
 */
internal class Run(
    private val options: Options,
    private val address: SocketAddress,
    private val baseSeed: Long,
    private val progress: Progress,
    private val interruption: Interruption,
    private val followed: FollowedRequests? = null,
    private val startSignal: StartSignal? = null,
    private val transport: Transport = LoopTransport,
    private val rehearses: Boolean = progress.runNumber == 1,
) {
    private val server = address.numeric
    private val errors = ErrorLog(server, options.output.debug, progress::message)
    private val content = ValueSequence.contentOf(options.values, baseSeed)

    /**
     * Runs; blocks the calling thread.
     *
     * @throws SetupException if a client cannot connect, or `--start-at` has passed
     */
    fun execute(): RunResult {
        val fineTimers = options.pacing.setsTimes || options.pacing.thinkTime.isPositive()
        val loops = List(options.load.threads) { loopNamed("clients-$it", fineTimers) }
        try {
            return runBlocking { measureOn(loops) }
        } finally {
            loops.forEach { it.close() }
        }
    }

    /** As [execute], with one of memtier's threads for each of [loops], whose clocks tell the same time. */
    suspend fun measureOn(loops: List<EventLoop>): RunResult {
        val threads = loops.mapIndexed { number, loop -> ClientThread(options, loop, clientsOf(number, loop)) }
        return measure(threads, loops.first().clock)
    }

    private fun clientsOf(thread: Int, loop: EventLoop) = List(options.load.clients) { index ->
        val workload = Workload(options, thread * options.load.clients + index, baseSeed, content)
        val requests = when {
            options.load.testTimeS > 0 -> Long.MAX_VALUE
            options.load.allKeys -> workload.keyCount
            else -> options.load.requests
        }
        val timeout = (options.target.connectionTimeoutS.takeIf { it > 0 } ?: DEFAULT_CONNECT_TIMEOUT_S).seconds
        Client({ transport.connect(loop, address, timeout) }, loop, options, workload, requests, followed)
    }

    private suspend fun measure(threads: List<ClientThread>, nanoClock: NanoClock): RunResult {
        progress.message("[RUN #${progress.runNumber}] Preparing benchmark client...")
        if (rehearses) withContext(threads.first().loop) { Rehearsal(options).run(threads.first().loop) }
        if (startSignal != null) awaitServer(threads.first())
        connect(threads)
        progress.message("[RUN #${progress.runNumber}] Launching threads now...")
        val startAt = startSignal?.takeIf { progress.runNumber == 1 }?.await()
        val clock = startClock(startAt, nanoClock)
        val limit = limitOf(clock)
        val cpuAtStart = cpuNanos()
        coroutineScope {
            val helpers = threads.map { launch(it.loop) { it.lag.watch() } }.toMutableList()
            val jobs = threads.mapIndexed { number, thread ->
                val equipment = thread.prepare(clock, limit, number, baseSeed, errors)
                thread.arrivals?.let { helpers += launch(thread.loop) { it.produce() } }
                launch(thread.loop) { runClients(thread, equipment, limit) }
            }
            interruption.onRequest { jobs.forEach { it.cancel() } }
            watch(threads, jobs, limit, nanoClock)
            helpers.forEach { it.cancel() }
        }
        return runResult(options, threads, clock, cpuNanos() - cpuAtStart, interruption.isRequested, errors.replyCounts)
    }

    /** Opens the first connection as soon as the server listens: the two may be started at the same time. */
    private suspend fun awaitServer(thread: ClientThread) = withContext(thread.loop) {
        val client = thread.clients.first()
        withTimeoutOrNull(SERVER_START_LIMIT) {
            while (!interruption.isRequested && !isListening(client)) delay(CONNECT_PAUSE)
        }
    }

    /** Whatever else keeps it from connecting is told by [connect]. */
    private suspend fun isListening(client: Client): Boolean = try {
        client.connect()
        true
    } catch (_: ConnectException) {
        false
    } catch (_: IOException) {
        true
    }

    /** Opens the connections of all clients. */
    private suspend fun connect(threads: List<ClientThread>) = try {
        coroutineScope { threads.forEach { launch(it.loop) { connect(it) } } }
    } catch (refused: IOException) {
        throw SetupException("$server: ${refused.message}", refused)
    }

    private suspend fun connect(thread: ClientThread) = coroutineScope {
        thread.clients.filterNot { it.isConnected }.forEach { launch { it.connect() } }
    }

    private fun startClock(startAtEpochS: Double?, nanoClock: NanoClock): RunClock {
        val startAtMs = startAtEpochS?.let { (it * MS_PER_S).toLong() } ?: return RunClock.startingNow(nanoClock)
        val lateMs = System.currentTimeMillis() - startAtMs
        if (lateMs > 0) throw SetupException("--start-at has passed $lateMs ms ago; start the generator earlier.")
        return RunClock.startingAt(startAtMs, nanoClock)
    }

    private fun limitOf(clock: RunClock): RunLimit {
        val seconds = options.load.testTimeS
        return if (seconds > 0) RunLimit(clock.startNanos, clock.startOf(seconds)) else RunLimit(clock.startNanos)
    }

    private suspend fun runClients(thread: ClientThread, equipment: List<Pair<ReplyRecorder, Pace>>, limit: RunLimit) =
        coroutineScope {
            thread.loop.sleepUntil(limit.startNanos)
            thread.clients.zip(equipment).forEach { (client, its) -> launch { client.run(its.second, its.first) } }
        }

    /** Reports once a second; cancels what still runs at the hard end or when nothing moves any more. */
    private suspend fun watch(threads: List<ClientThread>, jobs: List<Job>, limit: RunLimit, clock: NanoClock) {
        val stall = StallDetector(limit)
        while (jobs.any { it.isActive }) {
            val pauseNanos = progress.untilNextTick(limit)
            val dueNanos = clock.nanos() + pauseNanos
            withTimeoutOrNull(pauseNanos.nanoseconds) { jobs.joinAll() }
            if (interruption.isRequested) break
            val totals = threads.fold(LiveTotals.NONE) { sum, thread -> sum + thread.live.read() }
            progress.tick(totals, jobs.count { it.isActive }, limit)
            val now = clock.nanos()
            if (stall.isStalled(totals, now, lateNanos = now - dueNanos)) jobs.forEach { it.cancel() }
        }
        if (interruption.isRequested) progress.interrupted(limit)
        jobs.joinAll()
        progress.finish()
    }

    private companion object {
        const val DEFAULT_CONNECT_TIMEOUT_S = 10
        const val MS_PER_S = 1000
        val SERVER_START_LIMIT = 30.seconds
        val CONNECT_PAUSE = 20.milliseconds

        fun cpuNanos(): Long = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean::class.java).processCpuTime
    }
}
