package mwlab.middleware.backend

import mwlab.memcached.Request
import mwlab.memcached.ResponseReader
import mwlab.memcached.Verb
import mwlab.middleware.job.ServerCall
import mwlab.middleware.reply.VERSION
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/** An answer in memcached's words, a [line] given without its end, that the middleware gives by itself. Thread-safe. */
internal class FixedAnswer(line: String) {
    private val bytes = "$line\r\n".toByteArray()
    private val response = checkNotNull(ResponseReader().next(ByteBuffer.wrap(bytes)))

    /** Answers [call], which was sent, at [nanos]. As of memcached, a quiet command hears nothing. */
    fun giveTo(call: ServerCall, pool: BufferPool, nanos: Long) {
        if (!call.isQuiet || call.job.request is Request.Inquiry) {
            val copy = pool.acquire(bytes.size).put(bytes).flip()
            pool.limit.reserve(copy.capacity())
            call.answer(response, copy, nanos)
        }
        if (call.isQuiet) call.finish(nanos)
    }

    companion object {
        val STORED = FixedAnswer("STORED")
        val NOT_STORED = FixedAnswer("NOT_STORED")
        val DELETED = FixedAnswer("DELETED")
        val NOT_FOUND = FixedAnswer("NOT_FOUND")

        /** Nothing was found, or there is nothing to tell. */
        val END = FixedAnswer("END")

        private val VERSION_LINE = FixedAnswer("VERSION $VERSION")

        /** What a server would say to `version` or `stats`; the middleware's own statistics are added to it. */
        fun to(request: Request.Inquiry): FixedAnswer = if (request.verb == Verb.VERSION) VERSION_LINE else END
    }
}
