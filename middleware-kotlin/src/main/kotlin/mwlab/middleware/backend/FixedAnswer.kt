package mwlab.middleware.backend

import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.Status
import mwlab.memcached.Verb
import mwlab.middleware.job.ServerCall
import mwlab.middleware.reply.VERSION
import java.nio.ByteBuffer

/**
 * An answer in memcached's words that the middleware gives by itself: always the same bytes, so that nobody needs a copy.
 * Thread-safe.
 */
internal class FixedAnswer private constructor(line: String, responseOf: (length: Int) -> Response) {
    private val bytes = "$line\r\n".toByteArray().let { ByteBuffer.allocateDirect(it.size).put(it).flip() }
    private val response = responseOf(bytes.limit())

    /** Answers [call], which was sent, at [nanos]. As of memcached, a quiet command hears nothing. */
    fun giveTo(call: ServerCall, nanos: Long) {
        if (!call.isQuiet || call.job.request is Request.Inquiry) call.lend(response, bytes.duplicate(), nanos)
        if (call.isQuiet) call.finish(nanos)
    }

    companion object {
        /** Nothing was found, or there is nothing to tell. */
        val END = FixedAnswer("END") { Response.Values(it, IntArray(0)) }

        private val VERSION_LINE = FixedAnswer("VERSION $VERSION") { Response.Line(it, Status.VERSION) }

        private val ofStatus = Status.entries.associateWith { status ->
            FixedAnswer(if (status == Status.NUMBER) "0" else status.name) { Response.Line(it, status) }
        }
        private val ofCode = MetaCode.entries.associateWith { code ->
            FixedAnswer(code.name) { Response.Meta(it, code, lineLength = it, valueLength = -1) }
        }

        /** The line that is [status] alone; a number is 0. */
        fun of(status: Status): FixedAnswer = ofStatus.getValue(status)

        /** The line that is [code] alone. */
        fun of(code: MetaCode): FixedAnswer = ofCode.getValue(code)

        /** What a server would say to `version` or `stats`; the middleware's own statistics are added to it. */
        fun to(request: Request.Inquiry): FixedAnswer = if (request.verb == Verb.VERSION) VERSION_LINE else END
    }
}
