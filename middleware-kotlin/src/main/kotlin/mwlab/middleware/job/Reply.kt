package mwlab.middleware.job

import mwlab.memcached.Request
import mwlab.net.EventLoop
import java.net.SocketAddress
import java.nio.ByteBuffer

/** The reply to a client: bytes that are still the calls' own, and what they say. If it [hangsUp], the connection ends behind it. */
internal class Reply(
    val buffers: Array<ByteBuffer>,
    val hits: Int = 0,
    val isError: Boolean = false,
    val hangsUp: Boolean = false,
    val length: Int = buffers.sumOf { it.remaining() },
) {
    companion object {
        /** One line, given without its end. */
        fun line(text: String, isError: Boolean = false) =
            Reply(arrayOf(ByteBuffer.wrap("$text\r\n".toByteArray(Charsets.ISO_8859_1))), isError = isError)

        /** The error [text] for [request]; no bytes if its client does not wait for a reply. */
        fun error(request: Request, text: String) =
            if (request.wantsReply) line(text, isError = true) else Reply(emptyArray(), isError = true)
    }
}

/** Who has sent a job, and gets the reply to it. */
internal interface Client {
    val loop: EventLoop
    val address: SocketAddress

    /** Hands over [reply], on [loop]; the client releases [job] when it is written. */
    fun deliver(job: Job, reply: Reply)
}
