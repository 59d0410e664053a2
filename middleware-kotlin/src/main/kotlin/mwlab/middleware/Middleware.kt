package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.memcached.AdminCommands
import mwlab.memcached.RequestReader
import mwlab.metrics.Metrics
import mwlab.metrics.admin.AdminServer
import mwlab.metrics.results.Reporter
import mwlab.middleware.client.ClientConnection
import mwlab.middleware.reply.OwnStatistics
import mwlab.middleware.routing.Router
import mwlab.middleware.routing.Routes
import mwlab.middleware.server.Server
import mwlab.middleware.server.ServerConnection
import mwlab.net.BufferLimit
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.FailureHandler
import mwlab.net.Listener
import mwlab.net.NanoClock
import mwlab.net.Transport
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Job as CoroutineJob

/**
 * The middleware: clients in front, a queue, workers, servers behind.
 *
 * [start] once and [stop] once; both suspend, and are called from outside of the net threads.
 *
 * @param clock what all times that are measured or limited are read from.
 */
class Middleware(
    private val config: MiddlewareConfig,
    private val transport: Transport = config.transport.transport(),
    private val clock: NanoClock = NanoClock.SYSTEM,
) {
    /** Completes if something fails that should never fail; all that is left then is to stop. */
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
    private val servers = config.servers.mapIndexed(::Server)
    private val queue = JobQueue(config.queueCapacity)
    private val clients = ConcurrentHashMap.newKeySet<ClientConnection>()
    private val adminCommands = AdminCommands(
        config.adminCommands,
        areDumpsAllowed =
        config.dispatch == Dispatch.SEQUENTIAL,
    )
    private val admittedClients = AtomicInteger()
    private val refusedClients = AtomicLong()
    private val stalledClients = AtomicLong()

    private val metrics = Metrics(
        netThreads = netThreads,
        serverNames = servers.map { it.name },
        workers = config.workersAtWork,
        binWidth = config.histogramBin,
        instrumentation = config.instrumentation,
        gauges = Metrics.Gauges(
            connections = { clients.size },
            refusedConnections = refusedClients::get,
            stalledConnections = stalledClients::get,
            failedConnections = failedConnections::count,
            bufferBytes = { bufferLimit.reservedBytes },
            serverLinks = { backends.map { it.link } },
        ),
    )

    /** What is measured, as it is collected second by second. */
    val reporter = Reporter(metrics, config.describe(), VERSION, config.statsDirectory)

    private val scope =
        CoroutineScope(SupervisorJob() + CoroutineExceptionHandler { _, failure -> fault.complete(failure) })
    private val backends = mutableListOf<ServerConnection>()
    private var admin: AdminServer? = null
    private lateinit var listener: Listener

    @Volatile
    private var isStopping = false
    private lateinit var workers: List<CoroutineJob>
    private lateinit var serving: CoroutineJob

    /**
     * Binds, tries to reach the servers once, and serves; returns the address listened on.
     *
     * @throws IOException if an address cannot be bound; the message names it.
     */
    suspend fun start(): InetSocketAddress {
        val acceptor = netThreads.first()
        listener = binding(config.listen) { withContext(acceptor) { transport.bind(acceptor, it) } }
        admin = config.admin?.let { address -> binding(address) { AdminServer(it, reporter).apply { start() } } }
        val connections = connectAll()
        backends.forEach { it.awaitFirstAttempt() }
        for (loop in netThreads) {
            val own = connections.filterIndexed { worker, _ -> loopOf(worker) == loop }.flatten().distinct()
            scope.launch(loop) { watchTimeouts(own) }
        }
        scope.launch(acceptor) { sampleQueue() }
        netThreads.forEach { loop -> scope.launch(loop) { watchClients(loop) } }
        reporter.start(scope)
        workers = connections.mapIndexed { index, own -> scope.launch(loopOf(index)) { worker(index, own).run() } }
        serving = scope.launch(acceptor) { listener.serve(netThreads, failedConnections::add, ::serve) }
        return listener.address
    }

    /**
     * Stops accepting, answers the requests under way within the configured time, writes the results, and closes everything.
     * Returns whether all requests were answered; those that were not are dropped. Ends in bounded time, whatever has failed.
     */
    suspend fun stop(): Boolean {
        listener.close()
        isStopping = true
        val isDrained = withTimeoutOrNull(config.drainTimeout) {
            clients.forEach { client -> client.loop.execute { client.stop() } }
            serving.join()
            queue.close()
            workers.joinAll()
        } != null
        workers.forEach { it.cancel() }
        withTimeoutOrNull(LONGEST_END) { workers.joinAll() }
        admin?.stop()
        reporter.stop(isDrained)
        withTimeoutOrNull(LONGEST_END) { scope.coroutineContext[CoroutineJob]?.cancelAndJoin() }
        netThreads.forEach { it.close() }
        return isDrained
    }

    private suspend fun <T> binding(address: InetSocketAddress, bind: suspend (InetSocketAddress) -> T): T = try {
        bind(address)
    } catch (unbound: IOException) {
        throw IOException("cannot listen on ${address.text}: ${unbound.message}", unbound)
    }

    private fun loopOf(worker: Int): EventLoop = netThreads[worker % netThreads.size]

    /** Each worker's connections: its own ones, or, pipelined, those of its net thread. */
    private fun connectAll(): List<List<ServerConnection>> = when (config.dispatch) {
        Dispatch.SEQUENTIAL -> List(config.workersAtWork) { worker -> servers.map { connect(it, loopOf(worker)) } }

        Dispatch.PIPELINED -> {
            val shared = netThreads.associateWith { loop ->
                servers.map { connect(it, loop, ServerConnection.SHARED_READ_BYTES) }
            }
            List(config.workersAtWork) { worker -> shared.getValue(loopOf(worker)) }
        }
    }

    private fun connect(
        server: Server,
        loop: EventLoop,
        readBytes: Int = ServerConnection.READ_BYTES,
    ): ServerConnection {
        val connection =
            ServerConnection(
                transport,
                loop,
                server,
                config.serverTimeout,
                failedConnections::add,
                readBytes = readBytes,
            )
        backends += connection
        scope.launch(loop) { connection.run() }
        return connection
    }

    private fun worker(index: Int, connections: List<ServerConnection>): Worker {
        val loop = loopOf(index)
        val recorder = metrics.recorderOf(loop)
        val routes = Routes(Router.of(config, index), servers.size, config.failover, config.serverTimeout, clock)
        val calls = JobCalls(servers, connections, routes, recorder, loop.buffers)
        return when (config.dispatch) {
            Dispatch.SEQUENTIAL -> SequentialWorker(index, loop, queue, recorder, calls)
            Dispatch.PIPELINED -> PipelinedWorker(index, loop, queue, recorder, calls)
        }
    }

    private suspend fun serve(connection: Connection) {
        // One step, since net threads admit at the same time.
        if (admittedClients.getAndUpdate { minOf(it + 1, config.maxClients) } == config.maxClients) {
            refusedClients.incrementAndGet()
            connection.write(ByteBuffer.wrap(TOO_MANY_CLIENTS))
            return
        }
        val recorder = metrics.recorderOf(connection.loop)
        val requests = RequestReader(config.maxValueBytes, adminCommands)
        val client = ClientConnection(connection, queue, recorder, requests, ::ownStatistics)
        clients += client
        // Accepted just before the end, it may not have been among those that were told.
        if (isStopping) client.stop()
        try {
            client.serve()
        } finally {
            clients -= client
            admittedClients.decrementAndGet()
        }
    }

    private suspend fun ownStatistics(): List<Pair<String, Any?>> =
        OwnStatistics.of(config, metrics, metrics.counts(), queue.length, clock.nanos())

    private suspend fun watchTimeouts(connections: List<ServerConnection>) {
        val interval = (config.serverTimeout / CHECKS_PER_TIMEOUT).coerceIn(1.milliseconds, LONGEST_CHECK_INTERVAL)
        while (true) {
            delay(interval)
            val now = clock.nanos()
            connections.forEach { it.checkTimeout(now) }
        }
    }

    /** Closes those clients of [loop] that hold on to buffers and do not move. */
    private suspend fun watchClients(loop: EventLoop) {
        val interval = (config.clientTimeout / CHECKS_PER_TIMEOUT).coerceIn(10.milliseconds, 1.seconds)
        while (true) {
            delay(interval)
            val now = clock.nanos()
            for (client in clients) {
                if (client.loop == loop && client.closeIfStalled(now, config.clientTimeout)) {
                    stalledClients.incrementAndGet()
                }
            }
        }
    }

    private suspend fun sampleQueue() {
        val recorder = metrics.recorderOf(netThreads.first())
        while (true) {
            delay(SAMPLE_INTERVAL)
            recorder.sampledQueue(clock.nanos(), queue.length)
        }
    }

    companion object {
        /** The version of this build, from the jar's manifest. */
        val VERSION: String = Middleware::class.java.`package`.implementationVersion ?: "development"

        private const val CHECKS_PER_TIMEOUT = 20
        private val LONGEST_CHECK_INTERVAL = 100.milliseconds
        private val LONGEST_END = 2.seconds
        private val SAMPLE_INTERVAL = 100.milliseconds
        private val TOO_MANY_CLIENTS = "ERROR Too many open connections\r\n".toByteArray()
    }
}
