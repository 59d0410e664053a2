package mwlab.testing

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import mwlab.memcached.RequestReader
import mwlab.memcached.ResponseReader
import mwlab.metrics.Recorder
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.middleware.routing.FirstServer
import mwlab.middleware.routing.ReplicaRouter
import mwlab.middleware.routing.Router
import mwlab.middleware.routing.Routes
import mwlab.middleware.worker.JobCalls
import mwlab.net.EventLoop
import kotlin.time.Duration.Companion.seconds

/** Servers without sockets, which answer when the test says so. */
internal class FakeBackEnd(private val loop: EventLoop, count: Int) : BackEnd {
    override val servers = List(count) { Server(it, "server-$it") }

    val connections = servers.map { FakeServer(it, loop) }

    override fun requestReader() = RequestReader(maxValueBytes = 1 shl 20)

    override fun router(worker: Int): Router =
        ReplicaRouter(servers.size, sharded = false, FirstServer.inTurn(servers.size, start = 0))

    override fun connectionTo(server: Server, loop: EventLoop) = connections[server.index]

    /** What one worker asks these servers. */
    fun calls(recorder: Recorder, hasFailover: Boolean = false): JobCalls {
        val routes = Routes(router(0), servers.size, hasFailover, timeout = 1.seconds, loop.clock)
        return JobCalls(this, connections, routes, recorder, loop)
    }
}

/** A connection to one of the servers. */
internal class FakeServer(private val server: Server, override val loop: EventLoop) : BackEndConnection {
    override val link = ServerLink(server.name)

    /** The calls that the server was sent, oldest first. */
    val calls = mutableListOf<ServerCall>()

    /** The commands that the server was sent, oldest first. */
    val asked: List<String> get() = calls.map { it.job.words().take(2).joinToString(" ") }

    override suspend fun run(): Unit = awaitCancellation()

    override val firstAttempt = CompletableDeferred(Unit)

    override fun submit(call: ServerCall) {
        calls += call
        call.sent(loop.clock.nanos())
    }

    override fun checkTimeout(nanos: Long) = Unit

    /** Answers call number [index] with [reply], as a session does. */
    fun answer(index: Int, reply: String) {
        val bytes = checkNotNull(loop.buffers.acquireCounted(reply.length)).put(bytes(reply)).flip()
        calls[index].answer(checkNotNull(ResponseReader().next(bytes)), bytes, loop.clock.nanos())
    }

    /** Fails call number [index], as a session that ends does. */
    fun fail(index: Int, reason: String) = calls[index].fail(server.failure(reason), loop.clock.nanos())
}
