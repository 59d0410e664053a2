package mwlab.middleware.backend

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Status
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.middleware.routing.FirstServer
import mwlab.middleware.routing.ReplicaRouter
import mwlab.middleware.routing.Router
import mwlab.net.EventLoop

/** No server at all: the worker answers by itself, which shows what the middleware alone costs. */
internal class EchoBackEnd(private val maxValueBytes: Int) : BackEnd {
    override val servers = listOf(Server(0, "echo"))

    override fun requestReader() = RequestReader(maxValueBytes)

    override fun router(worker: Int): Router =
        ReplicaRouter(servers.size, sharded = false, FirstServer.inTurn(servers.size, worker))

    override fun connectionTo(server: Server, loop: EventLoop): BackEndConnection = EchoConnection(loop, server)
}

/** Answers every call at once, as an empty memcached that keeps nothing and finds all that is to be changed. */
private class EchoConnection(override val loop: EventLoop, server: Server) : BackEndConnection {
    override val link = ServerLink(server.name).apply { connected() }

    override suspend fun run(): Unit = awaitCancellation()

    override val firstAttempt = CompletableDeferred(Unit)

    override fun submit(call: ServerCall) {
        val nanos = loop.clock.nanos()
        call.sent(nanos)
        answerTo(call.job.request).giveTo(call, loop.buffers, nanos)
    }

    override fun checkTimeout(nanos: Long) = Unit

    private fun answerTo(request: Request): FixedAnswer = when (request) {
        is Request.Update -> if (request.verb.isMeta) DONE else ANSWERS.getValue(request.verb.statuses.first())
        is Request.Inquiry -> FixedAnswer.to(request)
        else -> if (request is Request.Retrieval && request.verb.isMeta) MISS else FixedAnswer.END
    }

    private companion object {
        val DONE = FixedAnswer("HD")
        val MISS = FixedAnswer("EN")
        val ANSWERS = Status.entries.associateWith { FixedAnswer(if (it == Status.NUMBER) "0" else it.name) }
    }
}
