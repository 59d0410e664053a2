package mwlab.middleware.server

import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import mwlab.memcached.MetaCode
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.memcached.Status
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.middleware.job.ServerCall.State
import mwlab.net.Connection
import mwlab.net.Outbox
import mwlab.net.Waiter
import mwlab.net.buffer.BuffersExhausted
import java.io.IOException
import java.nio.ByteBuffer
import kotlin.time.Duration

/**
 * One life of a connection to a server: calls are sent, and answered in the order in which they were sent.
 *
 * After a timeout, an unexpected byte or an error it is over: every call on it fails, so that no reply can ever reach the wrong
 * call. Confined to the loop of the [connection], which it closes when it ends.
 *
 * @param takeOver gets the calls behind the one that ended the session that another connection can be asked; null: they fail, too.
 */
internal class ServerSession(
    private val connection: Connection,
    private val server: Server,
    private val timeout: Duration,
    private val takeOver: ((ServerCall) -> Unit)? = null,
) {
    private val clock = connection.loop.clock
    private val pending = ArrayDeque<ServerCall>()
    private val outbox = Outbox(connection, ::sent, ::lost, ::flushed)
    private val blocked = Waiter<Unit>(connection.loop)
    private val outOfMemory = "SERVER_ERROR out of memory for the reply of ${server.name}"

    /** Why it is over; null as long as it is not. */
    var endReason: String? = null
        private set

    var hasAnswered = false
        private set

    /** Whether it is over because the server did not answer in time. */
    var hasTimedOut = false
        private set

    /** The server owes an answer that somebody has stopped to wait for. */
    private val isSilent: Boolean
        get() = pending.firstOrNull()?.let { it.state == State.ABANDONED && it.failure != outOfMemory } == true

    /** Reads replies until the server closes the connection; fails when it is broken, or was closed by [end]. */
    suspend fun readReplies() = coroutineScope {
        val writing = launch { while (true) if (outbox.isBlocked) outbox.awaitRoom() else blocked.await() }
        try {
            val replies = ResponseReader()
            do {
                var reply = replies.next(connection.input)
                while (reply != null) {
                    answer(reply)
                    reply = replies.next(connection.input)
                }
            } while (fill(replies))
            closed()
        } finally {
            writing.cancel()
        }
    }

    /** Sends [buffers] for [call] with what else is submitted in this turn of the loop. Does not wait: it is answered in its own time. */
    fun submit(call: ServerCall, buffers: Array<ByteBuffer>) {
        val objection = endReason ?: SILENT.takeIf { isSilent && call.patience.hasAlternative }
        if (objection != null) return call.fail(server.failure(objection), clock.nanos())
        pending.addLast(call)
        call.bytesOut = buffers.sumOf { it.remaining() }
        call.sentNanos = clock.nanos()
        outbox.add(call, buffers, call.bytesOut)
    }

    /**
     * Ends the session if the server has neither answered nor moved for too long at [nanos] though it owes an answer, and gives up
     * those calls that can wait no longer. A large message that is on its way is not held against it.
     */
    fun checkTimeout(nanos: Long) {
        val oldest = pending.firstOrNull() ?: return
        val lastMoveNanos = maxOf(oldest.sentNanos, connection.lastReadNanos, connection.lastRoomNanos)
        if (nanos - lastMoveNanos > timeout.inWholeNanoseconds) {
            hasTimedOut = true
            return end(TIMED_OUT_AFTER + timeout)
        }
        val overdue = pending.filter { it.isOverdue(nanos) }
        // What is not written yet stands in a buffer that the client gets back: the rest must never be sent.
        if (overdue.any { it.state != State.AWAITED }) return end("took no request within ${overdue.first().patience}")
        overdue.forEach { it.abandon(server.failure(TIMED_OUT_AFTER + it.patience), nanos) }
    }

    /** Closes the connection and fails all calls that are not taken over, for [reason]. Idempotent: the first reason stays. */
    fun end(reason: String) {
        if (endReason != null) return
        endReason = reason
        outbox.clear()
        connection.close()
        val failure = server.failure(reason)
        val nanos = clock.nanos()
        pending.removeFirstOrNull()?.fail(failure, nanos)
        repeat(pending.size) {
            val call = pending.removeFirst()
            if (takeOver != null && !hasTimedOut && call.canBeAskedAgain) takeOver(call) else call.fail(failure, nanos)
        }
    }

    /** The server has closed the connection: that is its answer to `shutdown`. */
    private fun closed() {
        val shutdowns = pending.filter { it.isShutdown && it.state == State.AWAITED }
        pending.removeAll(shutdowns)
        end("closed the connection")
        shutdowns.forEach { it.finish(clock.nanos()) }
    }

    /**
     * The request of [call] was written to its end at [nanos]. A server may have answered before, as when it has no room for a value:
     * the call was kept until now, since what is not written yet stands in a buffer that the client gets back with the answer.
     */
    private fun sent(call: ServerCall, nanos: Long) {
        if (call.state == State.ANSWERED_EARLY) pending.removeFirst()
        call.sent(nanos)
    }

    private fun lost(cause: Throwable) {
        end("failed: ${cause.message}")
        // That is not the server's fault.
        if (cause !is IOException) connection.loop.execute { throw cause }
    }

    /** Who waits while the socket takes all goes on with what it did not take. */
    private fun flushed() {
        if (outbox.isBlocked) blocked.resume(Unit)
    }

    /** Reads more; a reply that there is no memory for is read to its end, but not kept, and only its own call fails. */
    private suspend fun fill(replies: ResponseReader): Boolean {
        val call = pending.firstOrNull()
        if (call?.state == State.ABANDONED) replies.dropRead(connection.input)
        return try {
            connection.fill()
        } catch (exhausted: BuffersExhausted) {
            if (call?.state == State.SENDING || !replies.dropRead(connection.input)) throw exhausted
            if (call?.state == State.AWAITED) call.abandon(outOfMemory, clock.nanos())
            true
        }
    }

    private fun answer(reply: Response) {
        val call = pending.firstOrNull()?.takeUnless { it.state == State.ANSWERED_EARLY }
            ?: throw ProtocolException("a reply that nobody asked for")
        if (beginsDump(call, reply)) {
            call.isDumpBegun = true
            return connection.consume(reply.length)
        }
        val isEndOfQuiet = call.isQuiet && reply is Response.Meta && reply.code == MetaCode.MN
        val isAbandoned = call.state == State.ABANDONED
        val isAnswer = !isEndOfQuiet && !isAbandoned
        if (isAnswer) call.objectionTo(reply, connection.input)?.let { throw ProtocolException(it) }
        hasAnswered = true
        if ((isEndOfQuiet || !call.isQuiet) && call.state != State.SENDING) pending.removeFirst()
        if (isAnswer) return hold(call, reply, connection.take(reply.length))
        connection.consume(reply.length)
        if (!isAbandoned) call.finish(connection.lastReadNanos)
    }

    private fun beginsDump(call: ServerCall, reply: Response): Boolean =
        call.isDump && reply is Response.Line && reply.status == Status.OK

    /** The reply is held until its client has taken it, however long that takes: it counts. */
    private fun hold(call: ServerCall, reply: Response, bytes: ByteBuffer) {
        val buffers = connection.loop.buffers
        if (buffers.limit.tryReserve(bytes.capacity())) return call.answer(reply, bytes, connection.lastReadNanos)
        buffers.release(bytes)
        if (call.state == State.SENDING) throw BuffersExhausted()
        call.abandon(outOfMemory, clock.nanos())
    }

    private companion object {
        const val TIMED_OUT_AFTER = "did not answer within "
        const val SILENT = "has left another request without an answer"
    }
}
