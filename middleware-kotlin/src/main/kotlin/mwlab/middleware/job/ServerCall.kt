package mwlab.middleware.job

import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.Verb
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

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
    /** How far a call is; see [sent], [finish], [abandon], [fail] and [askAgain] for what leads from one state to the next. */
    enum class State {
        /** Some of the request is still to be written. */
        SENDING,

        /** All of it is written, and the answer is still to come. */
        AWAITED,

        /** The server has answered before it has taken all of the request: what is left stands in a buffer that the client gets back. */
        ANSWERED_EARLY,

        /** It is answered or has failed; the server owes nothing. */
        DONE,

        /** It has failed, but the server may still answer: the answer is to be dropped. */
        ABANDONED,
    }

    var state = State.SENDING
        private set

    /** The server may leave the request without an answer; a `mn` behind it tells when it is done. */
    val isQuiet: Boolean get() = job.request.isQuiet

    /** It asks for a dump of the keys. */
    val isDump: Boolean get() = (job.request as? Request.Inquiry)?.verb == Verb.LRU_CRAWLER

    /** The server has said `OK` before its dump, as newer ones do. */
    var isDumpBegun = false

    /** It is answered by the end of the connection, or by an error. */
    val isShutdown: Boolean get() = (job.request as? Request.Update)?.verb == Verb.SHUTDOWN

    var bytesOut = 0

    /** When the last byte was written; until then, when the first one was. */
    var sentNanos = 0L
    var answeredNanos = 0L
        private set
    var reply: Response? = null
        private set

    /** The reply's bytes, from the buffer's position on; owned by the call, and counted against the pool's limit, until [release]. */
    var bytes: ByteBuffer = BufferPool.EMPTY
        private set

    /** What went wrong with the server, in one line; null if it has answered. */
    var failure: String? = null
        private set

    /** The request's bytes, if they had to be put together; owned by the call until [release]. */
    private var request: ByteBuffer = BufferPool.EMPTY
    private var wasAskedAgain = false

    /** Whether it can be asked on another connection, as if nothing had been sent: it changes nothing, and no other server can answer it. */
    val canBeAskedAgain: Boolean
        get() = !wasAskedAgain && reply == null && (state == State.SENDING || state == State.AWAITED) &&
            !patience.hasAlternative && (job.request as? Request.Retrieval)?.changesItems == false

    /** A view of the reply's bytes from [start] to [end]. */
    fun slice(start: Int, end: Int): ByteBuffer = bytes.slice(bytes.position() + start, end - start)

    /** Room of [bytes] to put the request together in; null if there is no memory for it. */
    fun requestBuffer(bytes: Int, pool: BufferPool): ByteBuffer? {
        if (request.capacity() == 0) request = pool.acquireCounted(bytes) ?: return null
        return request.clear()
    }

    /** The last byte was written at [nanos]. */
    fun sent(nanos: Long) {
        sentNanos = nanos
        when (state) {
            State.SENDING -> state = State.AWAITED
            State.ANSWERED_EARLY -> done(nanos)
            State.AWAITED, State.DONE, State.ABANDONED -> error("sent again when it was $state")
        }
    }

    /** Why [reply], at the position of [bytes], cannot be its answer; null if it can. Not to be asked of an abandoned call. */
    fun objectionTo(reply: Response, bytes: ByteBuffer): String? =
        if (this.reply != null) "a second reply to one request" else objectionTo(reply, bytes, job, keys)

    /** Whether it waits longer than it may at [nanos]. */
    fun isOverdue(nanos: Long): Boolean = state != State.ABANDONED && nanos - sentNanos > patience.nanos

    /** The server has answered with [reply] in [bytes], which belong to the call from now on and are counted already. */
    fun answer(reply: Response, bytes: ByteBuffer, nanos: Long) {
        this.reply = reply
        this.bytes = bytes
        if (!isQuiet) finish(nanos)
    }

    /** The answer is complete: for a quiet request, the `mn` behind it was answered, or the server has shut down as it was asked to. */
    fun finish(nanos: Long) = when (state) {
        State.SENDING -> state = State.ANSWERED_EARLY
        State.AWAITED -> done(nanos)
        State.ANSWERED_EARLY, State.DONE, State.ABANDONED -> error("answered when it was $state")
    }

    /** Fails it for [reason] though the server may still answer. */
    fun abandon(reason: String, nanos: Long) {
        fail(reason, nanos)
        state = State.ABANDONED
    }

    /** The rest is not written, or the answer does not come: it fails for [reason], unless it is answered, or has failed before. */
    fun fail(reason: String, nanos: Long) {
        when (state) {
            State.SENDING, State.AWAITED -> failure = reason
            State.ANSWERED_EARLY -> Unit
            State.ABANDONED -> return
            State.DONE -> error("failed when it was done: $reason")
        }
        if (sentNanos == 0L) sentNanos = nanos
        done(nanos)
    }

    /** It is to be sent once more, on another connection. */
    fun askAgain() {
        check(canBeAskedAgain) { "asked again when it was $state" }
        wasAskedAgain = true
        state = State.SENDING
        bytesOut = 0
        sentNanos = 0
    }

    fun release(pool: BufferPool) {
        pool.releaseCounted(request)
        request = BufferPool.EMPTY
        pool.releaseCounted(bytes)
        bytes = BufferPool.EMPTY
    }

    private fun done(nanos: Long) {
        state = State.DONE
        answeredNanos = nanos
        job.oneDone()
    }
}

/** Server [index] of the command line; replies and results name it: `<ip>:<port>`, a database `<host>:<port>/<name>`. */
internal class Server(val index: Int, val name: String) {
    /** The error that clients get for [reason]. */
    fun failure(reason: String): String = "SERVER_ERROR $name $reason"
}

/** How long a call may take. If it [hasAlternative], another server can be asked, and a silent one is not waited for. */
internal class Patience(val nanos: Long, val hasAlternative: Boolean) {
    override fun toString(): String = nanos.nanoseconds.inWholeMilliseconds.milliseconds.toString()

    companion object {
        /** As long as the connection itself has patience with its server. */
        val OF_THE_CONNECTION = Patience(Long.MAX_VALUE, hasAlternative = false)
    }
}
