package mwlab.middleware

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndConnections
import mwlab.middleware.backend.Backoff
import mwlab.middleware.client.ClientConnection
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Server
import mwlab.middleware.routing.Routes
import mwlab.middleware.routing.Routing
import mwlab.middleware.server.ServerConnection
import mwlab.middleware.worker.JobCalls
import mwlab.middleware.worker.Worker
import mwlab.net.EventLoop
import mwlab.testing.ANY_PORT
import mwlab.testing.ErraticMemcached
import mwlab.testing.MemoryConnection
import mwlab.testing.MemoryTransport
import mwlab.testing.Messages
import mwlab.testing.VirtualLoop
import mwlab.testing.VirtualMemcached
import mwlab.testing.onVirtualLoop
import mwlab.testing.recorderOf
import java.net.InetSocketAddress
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Multi-gets through clients, queue, workers and connections in virtual time, while servers, sockets and the net thread fail at random:
 * each request is answered, in time, with its own values or with an error.
 */
class RandomFailureTest {
    /** The middleware on one net thread, with its clients and [servers]. */
    private class Bench(
        private val virtual: VirtualLoop,
        private val random: Random,
        private val dispatch: Dispatch,
        private val servers: List<(EventLoop) -> MemoryConnection>,
    ) {
        private val loop = virtual.loop
        private val addresses = servers.indices.map { InetSocketAddress("127.0.0.1", 11211 + it) }
        private val transport = MemoryTransport(addresses.zip(servers).toMap())
        private val copies = random.nextInt(1, servers.size + 1)
        private val hasRing = random.nextBoolean()
        private val hasFailover = random.nextBoolean()
        private val isShared = dispatch == Dispatch.PIPELINED
        private val config = MiddlewareConfig(
            ANY_PORT,
            addresses,
            sharded = !hasRing,
            routing = if (hasRing) Routing.CONSISTENT_HASH else Routing.ROUND_ROBIN,
            replicas = copies.takeIf { hasRing },
            dispatch = dispatch,
            serverTimeout = TIMEOUT,
        )
        private val memcached = MemcachedBackEnd(config, transport, ::fail)

        /** Its connections come back after times that the seed decides. */
        private val backEnd = object : BackEnd by memcached {
            override fun connectionTo(server: Server, loop: EventLoop): ServerConnection {
                val address = addresses[server.index]
                return ServerConnection(transport, loop, server, address, TIMEOUT, ::fail, backoff = Backoff(random))
            }
        }
        private val queue = JobQueue(capacity = 1000)
        private val recorder = recorderOf(loop, servers.size, NUM_CLIENTS)
        private var stoodStillNanos = 0L

        /** Time that has passed, but for that in which the net thread stood still. */
        val nowNanos: Long get() = virtual.elapsedNanos - stoodStillNanos

        private fun fail(cause: Throwable): Unit = throw AssertionError("inside of a connection", cause)

        fun start(scope: CoroutineScope) {
            val connections = BackEndConnections(backEnd, TIMEOUT)
            val workers = if (isShared) 1 else NUM_CLIENTS
            repeat(workers) { index ->
                val routes = Routes(backEnd.router(index), servers.size, hasFailover, TIMEOUT, loop.clock)
                val calls = JobCalls(backEnd, connections.connect(scope, loop), routes, recorder, loop)
                val worker = Worker(index, loop, queue, recorder, calls, waits = !isShared)
                scope.launch { worker.run() }
            }
            scope.launch { connections.watch(loop) }
        }

        fun serve(scope: CoroutineScope, connection: MemoryConnection) {
            val client =
                ClientConnection(connection, queue, recorder, backEnd.requestReader(), depth = 4, { emptyList() })
            scope.launch { client.serve() }
        }

        fun standStill(duration: Duration) {
            virtual.skip(duration)
            stoodStillNanos += duration.inWholeNanoseconds
        }
    }

    /** Asks for up to nine keys at a time, with up to [depth] requests under way, and checks each reply. */
    private class Asker(
        private val bench: Bench,
        private val loop: EventLoop,
        private val random: Random,
        private val depth: Int,
        private val isSlow: Boolean,
    ) {
        private class Asked(val keys: List<String>, val nanos: Long)

        val connection = MemoryConnection(loop) { take(it) }
        private val asked = ArrayDeque<Asked>()
        private val replies = ResponseReader()
        private val received = Messages { buffer -> replies.next(buffer)?.let { it to it.length } }
        private var left = REQUESTS_PER_CLIENT

        /** Longest response time so far. */
        var longestNanos = 0L
            private set

        /** Requests that are not answered, or not even sent. */
        val unanswered: Int get() = asked.size + left

        fun ask() {
            while (left > 0 && asked.size < depth) {
                left--
                val keys = List(KEYS) { "key-${random.nextInt(NUM_KEYS)}" }.distinct()
                asked += Asked(keys, bench.nowNanos)
                connection.receive("get ${keys.joinToString(" ")}\r\n")
            }
        }

        private fun take(bytes: ByteArray) {
            received.read(bytes, ::check)
            val thinkNanos = random.nextLong(1_000_000)
            loop.startTimer(loop.clock.nanos() + thinkNanos) { ask() }
            if (isSlow && random.nextInt(20) == 0) readSlowly()
        }

        private fun check(reply: Response, text: String) {
            val request = asked.removeFirst()
            longestNanos = maxOf(longestNanos, bench.nowNanos - request.nanos)
            if (reply !is Response.Failure) assertEquals(ErraticMemcached.valuesOf(request.keys), text)
        }

        private fun readSlowly() = loop.startTimer(loop.clock.nanos()) {
            connection.makeRoom(random.nextInt(1000))
            loop.startTimer(loop.clock.nanos() + random.nextLong(50_000_000)) { connection.makeRoom(Int.MAX_VALUE) }
        }
    }

    /** Longest response time when everything happens that [seed] decides, without the time in which the net thread stood still. */
    private fun longestResponseTime(seed: Int, dispatch: Dispatch): Duration {
        var longest = Duration.ZERO
        onVirtualLoop { virtual ->
            val random = Random(seed)
            val servers = List(NUM_SERVERS) { ErraticMemcached(random) }
            val bench = Bench(virtual, random, dispatch, servers.map { it::connectOn })
            bench.start(this)
            val askers =
                List(NUM_CLIENTS) { Asker(bench, virtual.loop, random, random.nextInt(1, 4), random.nextBoolean()) }
            askers.forEach { bench.serve(this, it.connection) }
            askers.forEach { it.ask() }
            var waits = 0
            while (askers.any { it.unanswered > 0 } && waits++ < MOST_WAITS) {
                delay(random.nextLong(1000).milliseconds)
                if (random.nextInt(10) == 0) bench.standStill(random.nextLong(5000).milliseconds)
            }
            assertEquals(List(NUM_CLIENTS) { 0 }, askers.map { it.unanswered }, "requests without an answer")
            assertTrue(servers.sumOf { it.mishaps } > 0, "nothing has happened")
            longest = askers.maxOf { it.longestNanos }.nanoseconds
        }
        return longest
    }

    @Test
    fun `whatever fails, each request is answered in time`() {
        for (dispatch in Dispatch.entries) {
            for (seed in 1..SEEDS) {
                val longest = longestResponseTime(seed, dispatch)
                assertTrue(longest < BOUND, "$dispatch, seed $seed: a request took $longest")
            }
        }
    }

    @Test
    fun `servers that answer are not given up because the net thread stood still`() {
        for (dispatch in Dispatch.entries) {
            onVirtualLoop { virtual ->
                lateinit var bench: Bench
                val server = VirtualMemcached({
                    bench.standStill(TIMEOUT * 2)
                    TIMEOUT * 2 + 1.milliseconds
                })
                bench = Bench(virtual, Random(1), dispatch, List(NUM_SERVERS) { server::connectOn })
                bench.start(this)
                val client = MemoryConnection(virtual.loop)
                bench.serve(this, client)
                delay(1.seconds)
                client.receive("get a b c d e f\r\n")
                while (client.written.isEmpty()) delay(1.milliseconds)
                assertEquals("END\r\n", client.written)
            }
        }
    }

    private companion object {
        const val NUM_SERVERS = 3
        const val NUM_CLIENTS = 16
        const val REQUESTS_PER_CLIENT = 40
        const val KEYS = 9
        const val NUM_KEYS = 100
        const val SEEDS = 10
        const val MOST_WAITS = 10_000
        val TIMEOUT = 3.seconds

        /** A session that goes on to answer, in pieces or late, is not ended: requests wait for those before them on it. */
        val BOUND = TIMEOUT * 5
    }
}
