package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.metrics.Metrics
import mwlab.metrics.admin.AdminServer
import mwlab.metrics.results.Reporter
import mwlab.metrics.stats.StatsMemory
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.backend.BackEndConnections
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.client.ClientConnection
import mwlab.middleware.client.Clients
import mwlab.middleware.client.FollowedJobs
import mwlab.middleware.client.SlowJobs
import mwlab.middleware.job.JobQueue
import mwlab.middleware.reply.VERSION
import mwlab.middleware.routing.Routes
import mwlab.middleware.worker.JobCalls
import mwlab.middleware.worker.Worker
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.FailureHandler
import mwlab.net.Listener
import mwlab.net.NanoClock
import mwlab.net.Transport
import mwlab.net.buffer.BufferLimit
import mwlab.net.text
import java.io.IOException
import java.net.SocketAddress
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The middleware: clients in front, a queue, workers, servers behind. It [run]s once.
 *
 * @param clock what all times that are measured or limited are read from.
 * @param longestStart for how long the first attempts to connect to the servers may keep it from listening.
 */
class Middleware(
    private val config: MiddlewareConfig,
    private val transport: Transport = config.transport.transport(),
    private val clock: NanoClock = NanoClock.SYSTEM,
    private val longestStart: Duration = LONGEST_START,
) {
    /** Completes if something fails that should never fail; then [run] ends. */
    val fault = CompletableDeferred<Throwable>()

    private val bufferLimit = BufferLimit(config.maxBufferBytes)
    private val failedConnections = FailedConnections()
    private val failures = object : FailureHandler {
        override fun connectionFailed(cause: Throwable) = failedConnections.add(cause)

        override fun loopFailed(loop: EventLoop, cause: Throwable) {
            fault.complete(IllegalStateException("net thread ${loop.name} failed: $cause", cause))
        }
    }
    internal val netThreads =
        List(config.netThreads) { EventLoop("net-$it", bufferLimit = bufferLimit, failures = failures, clock = clock) }
    private val acceptor = netThreads.first()
    private val backEnd = backEndOf(config, transport, failedConnections::add)
    private val queue = JobQueue(config.queueCapacity)
    private val clients = Clients(config.maxClients, config.clientTimeout, config.idleTimeout)
    private val connections = BackEndConnections(backEnd, config.serverTimeout)

    internal val metrics = Metrics(
        netThreads = netThreads,
        serverNames = backEnd.servers.map { it.name },
        workers = config.workersAtWork,
        binWidth = config.histogramBin,
        instrumentation = config.instrumentation,
        memory = StatsMemory(config.statsBytes),
        gauges = Metrics.Gauges(
            connections = clients::count,
            refusedConnections = clients::refusedCount,
            stalledConnections = clients::stalledCount,
            failedConnections = failedConnections::count,
            bufferBytes = { bufferLimit.reservedBytes },
            queueLength = queue::length,
            serverLinks = connections::links,
        ),
    )

    val reporter = Reporter(metrics, config.describe(), VERSION, config.statsDirectory)

    internal val followed = config.follow?.let { FollowedJobs(it, config.statsDirectory!!, metrics.clock) }
    internal val slow = config.slowLog?.let { SlowJobs(it, config.statsDirectory, metrics.clock) }

    /**
     * Prepares the servers, binds, tries to reach the servers once, tells [onListening] the address, and serves until [end] completes or
     * there is a [fault]. Then it stops reading, answers what was read within the configured time, writes the results, and closes all.
     *
     * @throws BackEndUnusable if nobody can be served with these servers; the message says why.
     * @throws IOException if an address cannot be bound; the message names it.
     */
    suspend fun run(end: Deferred<Unit>, onListening: (SocketAddress) -> Unit): Ending =
        withContext(CoroutineExceptionHandler { _, failure -> fault.complete(failure) }) {
            try {
                supervisorScope {
                    backEnd.prepare()
                    val listener = binding(config.listen) { withContext(acceptor) { transport.bind(acceptor, it) } }
                    try {
                        withAdmin { serve(listener, end, onListening) }
                    } finally {
                        coroutineContext.cancelChildren()
                    }
                }
            } finally {
                // All that ran on them has ended.
                netThreads.forEach { it.close() }
                reporter.close()
            }
        }

    private suspend fun CoroutineScope.serve(
        listener: Listener,
        end: Deferred<Unit>,
        onListening: (SocketAddress) -> Unit,
    ): Ending {
        val connectionsOfWorkers = List(config.workersAtWork) { connections.connect(this, loopOf(it)) }
        connections.awaitFirstAttempts(longestStart)
        launch(acceptor) { sampleQueue() }
        for (loop in netThreads) {
            launch(loop) { connections.watch(loop) }
            launch(loop) { clients.watch(loop) }
        }
        val collecting = launch { reporter.collect() }
        val workers = connectionsOfWorkers.mapIndexed { index, own ->
            launch(loopOf(index)) { worker(index, own).run() }
        }
        val serving = launch(acceptor) {
            listener.serve(netThreads, failedConnections::add) { clients.serve(it, ::client) }
        }
        onListening(listener.address)
        val failure = select<Throwable?> {
            end.onAwait { null }
            fault.onAwait { it }
        }
        listener.close()
        val isDrained = withTimeoutOrNull(config.drainTimeout) {
            clients.stop()
            serving.join()
            queue.close()
            workers.joinAll()
        } != null
        val unansweredRequests = if (isDrained) 0 else clients.unansweredRequests
        workers.forEach { it.cancel() }
        withTimeoutOrNull(LONGEST_END) { workers.joinAll() }
        collecting.cancelAndJoin()
        reporter.finish(isDrained)
        followed?.close()
        slow?.close()
        return Ending(failure, isDrained, unansweredRequests, clients.lateRequests)
    }

    private suspend fun withAdmin(serve: suspend () -> Ending): Ending {
        val address = config.admin ?: return serve()
        val admin = AdminServer(address, reporter, slow?.let { it::csv })
        binding(address) { admin.start() }
        return try {
            serve()
        } finally {
            admin.stop()
        }
    }

    private suspend fun <A : SocketAddress, T> binding(address: A, bind: suspend (A) -> T): T = try {
        bind(address)
    } catch (unbound: IOException) {
        throw IOException("cannot listen on ${address.text}: ${unbound.message}", unbound)
    }

    private fun loopOf(worker: Int): EventLoop = netThreads[worker % netThreads.size]

    private fun worker(index: Int, connections: List<BackEndConnection>): Worker {
        val loop = loopOf(index)
        val recorder = metrics.recorderOf(loop)
        val routes = Routes(backEnd.router(index), backEnd.servers.size, config.failover, config.serverTimeout, clock)
        val calls = JobCalls(backEnd, connections, routes, recorder, loop)
        return Worker(index, loop, queue, recorder, calls, waits = config.dispatch == Dispatch.SEQUENTIAL)
    }

    private fun client(connection: Connection): ClientConnection {
        val recorder = metrics.recorderOf(connection.loop)
        val requests = backEnd.requestReader()
        return ClientConnection(connection, queue, recorder, requests, config.depth, ::ownStatistics, followed, slow)
    }

    private suspend fun ownStatistics(): List<Pair<String, Any?>> =
        OwnStatistics.of(config, metrics, metrics.counts(), queue.length, clock.nanos())

    private suspend fun sampleQueue() {
        val recorder = metrics.recorderOf(acceptor)
        while (true) {
            delay(SAMPLE_INTERVAL)
            recorder.sampledQueue(clock.nanos(), queue.length)
        }
    }

    companion object {
        private val LONGEST_START = 3.seconds
        private val LONGEST_END = 2.seconds
        private val SAMPLE_INTERVAL = 100.milliseconds
    }
}

/**
 * How a middleware has ended.
 *
 * @property fault what should never happen and has ended it; null: it was told to end.
 * @property isDrained whether all that was read was answered in time, and all who worked on it have ended.
 * @property unansweredRequests requests that were read and not answered in time, or not to the end.
 * @property lateRequests requests that came after the middleware had stopped reading.
 */
class Ending(val fault: Throwable?, val isDrained: Boolean, val unansweredRequests: Int, val lateRequests: Long)
