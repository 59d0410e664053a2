package mwlab.middleware.job

import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.Verb
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/**
 * What one server is asked for one job, and what it answers.
 *
 * Confined to the thread of the server's connection. [reply] is set or [failure] is, exactly once.
 *
 * @property keys which keys of the request the server is asked for; null: all.
 * @property patience how long the server may take.
 */
internal class ServerCall(
    val server: Server,
    val job: Job,
    val keys: IntArray? = null,
    val patience: Patience = Patience.OF_THE_CONNECTION,
) {
    /** The server may leave the request without an answer; a `mn` behind it tells when it is done. */
    val isQuiet: Boolean get() = job.request.isQuiet

    /** It asks for a dump of the keys. */
    val isDump: Boolean get() = (job.request as? Request.Inquiry)?.verb == Verb.LRU_CRAWLER

    /** The server has said `OK` before its dump, as newer ones do. */
    var isDumpBegun = false

    /** It is answered by the end of the connection, or by an error. */
    val isShutdown: Boolean get() = (job.request as? Request.Update)?.verb == Verb.SHUTDOWN

    /** Bytes sent. */
    var bytesOut = 0

    /** When the last byte was written; until then, when the first one was. */
    var sentNanos = 0L

    /** Whether nothing of the request is left to be written. */
    var isSent = false
        private set

    /** Whether the server has answered all of it; it is done when it is sent, too. */
    var isAnswered = false
        private set
    var answeredNanos = 0L
        private set

    /** It has failed, but the server may still answer: the answer is to be dropped. */
    var isAbandoned = false
        private set
    var reply: Response? = null
        private set

    /** The reply's bytes, from the buffer's position on; owned by the call until [release]. */
    var bytes: ByteBuffer = BufferPool.EMPTY
        private set

    /** Whether [bytes] are the connection's own, to be used only until it goes on; see [keep]. */
    var isLent = false
        private set

    /** What went wrong with the server, in one line; null if it has answered. */
    var failure: String? = null
        private set

    /** Whether it was counted. */
    var isRecorded = false

    /** A view of the reply's bytes from [start] to [end]. */
    fun slice(start: Int, end: Int): ByteBuffer = bytes.slice(bytes.position() + start, end - start)

    /** The last byte was written at [nanos]. */
    fun sent(nanos: Long) {
        sentNanos = nanos
        isSent = true
        if (isAnswered) done(nanos)
    }

    /** Why [reply], at the position of [bytes], cannot be its answer; null if it can. Not to be asked of an abandoned call. */
    fun objectionTo(reply: Response, bytes: ByteBuffer): String? =
        if (this.reply != null) "a second reply to one request" else objectionTo(reply, bytes, job, keys)

    /** Whether it waits longer than it may at [nanos]. */
    fun isOverdue(nanos: Long): Boolean = !isAbandoned && nanos - sentNanos > patience.nanos

    fun answer(reply: Response, bytes: ByteBuffer, nanos: Long) {
        this.reply = reply
        this.bytes = bytes
        if (!isQuiet) finish(nanos)
    }

    /** As [answer], but [bytes] stay the connection's: who needs them beyond this call has them copied with [keep]. */
    fun lend(reply: Response, bytes: ByteBuffer, nanos: Long) {
        isLent = true
        answer(reply, bytes, nanos)
    }

    /** Copies the reply's bytes if they are only lent and not released yet. */
    fun keep(pool: BufferPool) {
        if (!isLent) return
        bytes = pool.acquire(bytes.remaining()).put(bytes).flip()
        isLent = false
    }

    /** The answer is complete: for a quiet request, the `mn` behind it was answered, or the server has shut down as it was asked to. */
    fun finish(nanos: Long) {
        isAnswered = true
        if (isSent) done(nanos)
    }

    /** Fails it for [reason] though the server may still answer. */
    fun abandon(reason: String, nanos: Long) {
        fail(reason, nanos)
        isAbandoned = true
    }

    /**
     * The rest of the request will not be written, or the answer not come, for [reason]: it fails, unless it is answered. Does nothing
     * if it is abandoned: that it has failed is known.
     */
    fun fail(reason: String, nanos: Long) {
        if (isAbandoned) return
        if (!isAnswered) failure = reason
        if (sentNanos == 0L) sentNanos = nanos
        done(nanos)
    }

    fun release(pool: BufferPool) {
        if (!isLent) {
            if (bytes.capacity() > UNCOUNTED_BYTES) pool.limit.free(bytes.capacity())
            pool.release(bytes)
        }
        isLent = false
        bytes = BufferPool.EMPTY
    }

    private fun done(nanos: Long) {
        answeredNanos = nanos
        job.oneDone()
    }

    companion object {
        /** Larger buffers count against the limit of the loop's buffers from [answer] to [release]. */
        const val UNCOUNTED_BYTES = 16 * 1024
    }
}
