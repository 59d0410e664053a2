package mwlab.middleware.server

import mwlab.memcached.Response
import mwlab.middleware.Job
import mwlab.net.BufferPool
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
    private val group: CallGroup,
    val server: Server,
    private val job: Job,
    val keys: IntArray? = null,
    val patience: Patience = Patience.OF_THE_CONNECTION,
) {
    /** The server may leave the request without an answer; a `mn` behind it tells when it is done. */
    val isQuiet: Boolean get() = job.request.isQuiet

    /** Bytes sent. */
    var bytesOut = 0

    /** When the last byte was written; until then, when the first one was. */
    var sentNanos = 0L

    /** Whether nothing of the request is left to be written. */
    var isSent = false
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

    /** What went wrong with the server, in one line; null if it has answered. */
    var failure: String? = null
        private set

    /** A view of the reply's bytes from [start] to [end]. */
    fun slice(start: Int, end: Int): ByteBuffer = bytes.slice(bytes.position() + start, end - start)

    /** The last byte was written at [nanos]. */
    fun sent(nanos: Long) {
        sentNanos = nanos
        isSent = true
    }

    /** Why [reply], at the position of [bytes], cannot be its answer; null if it can. Not to be asked of an abandoned call. */
    fun objectionTo(reply: Response, bytes: ByteBuffer): String? =
        if (this.reply != null) "a second reply to one request" else objectionTo(reply, bytes, job, keys)

    /** Whether it waits longer than it may at [nanos]. */
    fun isOverdue(nanos: Long): Boolean = !isAbandoned && nanos - sentNanos > patience.nanos

    fun answer(reply: Response, bytes: ByteBuffer, nanos: Long) {
        this.reply = reply
        this.bytes = bytes
        if (!isQuiet) done(nanos)
    }

    /** The `mn` behind a quiet request was answered: no more will come. */
    fun finish(nanos: Long) = done(nanos)

    /** Fails it for [reason] though the server may still answer. */
    fun abandon(reason: String) {
        fail(reason)
        isAbandoned = true
    }

    /** Does nothing if it is abandoned: that it has failed is known. */
    fun fail(reason: String) {
        if (isAbandoned) return
        failure = reason
        val now = System.nanoTime()
        if (sentNanos == 0L) sentNanos = now
        done(now)
    }

    fun release(pool: BufferPool) {
        if (bytes.capacity() > UNCOUNTED_BYTES) pool.limit.free(bytes.capacity())
        pool.release(bytes)
        bytes = BufferPool.EMPTY
    }

    private fun done(nanos: Long) {
        answeredNanos = nanos
        group.oneDone()
    }

    companion object {
        /** Larger buffers count against the limit of the loop's buffers from [answer] to [release]. */
        const val UNCOUNTED_BYTES = 16 * 1024
    }
}
