package mwlab.middleware.backend

import kotlinx.coroutines.awaitCancellation
import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop

/** Answers every call at once, as an empty memcached that keeps nothing and finds all that is to be changed. */
internal class EchoConnection(override val loop: EventLoop, server: Server) : BackEndConnection {
    override val link = ServerLink(server.name).apply { connected() }

    override suspend fun run(): Unit = awaitCancellation()

    override suspend fun awaitFirstAttempt() = Unit

    override fun submit(call: ServerCall) {
        val nanos = loop.clock.nanos()
        call.sent(nanos)
        answerTo(call.job.request).giveTo(call, nanos)
    }

    override fun checkTimeout(nanos: Long) = Unit

    private fun answerTo(request: Request): FixedAnswer = when (request) {
        is Request.Update -> if (request.verb.isMeta) DONE else FixedAnswer.of(request.verb.statuses.first())
        is Request.Inquiry -> FixedAnswer.to(request)
        else -> if (request is Request.Retrieval && request.verb.isMeta) MISS else FixedAnswer.END
    }

    private companion object {
        val DONE = FixedAnswer.of(MetaCode.HD)
        val MISS = FixedAnswer.of(MetaCode.EN)
    }
}
