package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.memcached.MetaCode
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.metrics.ServerLink
import mwlab.net.BuffersExhausted
import mwlab.net.Connection
import mwlab.net.EventLoop
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import kotlin.time.Duration

/**
 * A connection to one memcached server that comes back when it is lost.
 *
 * Replies belong to the calls in the order in which these were sent. After a timeout, an unexpected byte or an error the
 * connection is dropped and every call on it fails, so that no reply can ever reach the wrong call.
 * Confined to the loop's thread; [run] owns the socket.
 */
internal class ServerConnection(
    private val loop: EventLoop,
    private val server: Server,
    private val timeout: Duration,
    private val backoff: Backoff = Backoff(),
    private val readBytes: Int = READ_BYTES,
) {
    private val pending = ArrayDeque<ServerCall>()
    private val outbox = Outbox()
    private var connection: Connection? = null
    private var downReason = "is not connected yet"
    private var wasSilent = false
    private val tried = CompletableDeferred<Unit>()
    private val blocked = Channel<Unit>(Channel.CONFLATED)

    /** What has become of it so far; readable anywhere. */
    val link = ServerLink(server.name)

    /** The server owes an answer that somebody has stopped to wait for. */
    private val isSilent: Boolean get() = pending.firstOrNull()?.isAbandoned == true

    /** Connects, reads replies, and connects again when that ends; until cancelled. */
    suspend fun run() {
        while (true) {
            try {
                Connection.open(loop, server.address, timeout, readBytes).use { serve(it) }
            } catch (_: ClosedChannelException) {
                // Dropped here, for a reason that is known.
            } catch (lost: IOException) {
                drop("failed: ${lost.message}")
            } catch (garbage: ProtocolException) {
                drop("sent ${garbage.message}")
            } finally {
                drop(downReason)
                link.failed(downReason)
                tried.complete(Unit)
            }
            delay(backoff.next())
        }
    }

    /** Suspends until the first attempt to connect has succeeded or failed. */
    suspend fun awaitFirstAttempt() = tried.await()

    /**
     * Sends [buffers] for [call], which is answered or fails in its own time. False if the socket did not take all of it:
     * [sendRest] has to follow, before anything else is sent.
     */
    fun send(call: ServerCall, buffers: Array<ByteBuffer>): Boolean {
        val connection = accept(call, buffers) ?: return true
        return try {
            connection.tryWrite(buffers).also { if (it) call.sent(System.nanoTime()) }
        } catch (lost: IOException) {
            drop("failed: ${lost.message}")
            true
        }
    }

    /** Sends what [send] has left of [buffers]; suspends while the socket's buffer is full. */
    suspend fun sendRest(call: ServerCall, buffers: Array<ByteBuffer>) {
        // Dropped meanwhile, and so the call has failed.
        val connection = this.connection?.takeIf { call in pending } ?: return
        var sent = false
        try {
            connection.write(buffers)
            call.sent(System.nanoTime())
            sent = true
        } catch (lost: IOException) {
            if (this.connection === connection) drop("failed: ${lost.message}")
            sent = true
        } finally {
            // Cancelled halfway through a request: what follows on this connection would be taken for the rest of it.
            if (!sent) drop("was cancelled")
        }
    }

    /**
     * Sends [buffers] for [call] together with what else is submitted in this turn of the loop, and does not wait; otherwise as
     * [send]. A connection is used with one of the two only.
     */
    fun submit(call: ServerCall, buffers: Array<ByteBuffer>) {
        accept(call, buffers) ?: return
        if (outbox.isEmpty) loop.atEndOfTurn(::flush)
        outbox.add(call, buffers)
    }

    /** The connection on which [call] now waits for its answer; null, and the call has failed, if there is none to wait for. */
    private fun accept(call: ServerCall, buffers: Array<ByteBuffer>): Connection? {
        val connection = this.connection
        if (connection == null || (isSilent && call.patience.hasAlternative)) {
            call.fail(failure(if (connection == null) downReason else SILENT))
            return null
        }
        pending.addLast(call)
        call.bytesOut = buffers.sumOf { it.remaining() }
        call.sentNanos = System.nanoTime()
        return connection
    }

    /**
     * Drops the connection if its oldest call has waited too long at [nanos], and gives up those calls that can wait no longer
     * while the server still may.
     */
    fun checkTimeout(nanos: Long) {
        val oldest = pending.firstOrNull() ?: return
        if (nanos - oldest.sentNanos > timeout.inWholeNanoseconds) {
            wasSilent = true
            return drop(TIMED_OUT_AFTER + timeout)
        }
        val overdue = pending.filter { it.isOverdue(nanos) }
        // What is not written yet stands in a buffer that the client gets back: the rest must never be sent.
        if (overdue.any { !it.isSent }) return drop("took no request within ${overdue.first().patience}")
        overdue.forEach { it.abandon(failure(TIMED_OUT_AFTER + it.patience)) }
    }

    private suspend fun serve(connection: Connection) = coroutineScope {
        if (wasSilent && !answers(connection)) return@coroutineScope
        wasSilent = false
        this@ServerConnection.connection = connection
        link.connected()
        tried.complete(Unit)
        val writing = launch { while (true) writeBlocked(connection) }
        try {
            readReplies(connection)
        } finally {
            writing.cancel()
        }
    }

    /** A server that hangs still accepts connections: without an answer on the new one, every request would wait for it in vain. */
    private suspend fun answers(connection: Connection): Boolean = withTimeoutOrNull(timeout) {
        connection.write(ByteBuffer.wrap(PROBE))
        val replies = ResponseReader()
        var reply: Response? = null
        while (reply == null && connection.fill()) reply = replies.next(connection.input)
        reply?.let { connection.consume(it.length) } != null
    } ?: false

    private fun flush() {
        val connection = this.connection ?: return
        try {
            if (!outbox.write(connection::tryWrite)) blocked.trySend(Unit)
        } catch (lost: IOException) {
            drop("failed: ${lost.message}")
        }
    }

    /** Goes on where [flush] met a full socket; what is submitted meanwhile joins the outbox. */
    private suspend fun writeBlocked(connection: Connection) {
        blocked.receive()
        do {
            connection.awaitWritable()
        } while (!outbox.write(connection::tryWrite))
    }

    private suspend fun readReplies(connection: Connection) {
        val replies = ResponseReader()
        while (true) {
            val reply = replies.next(connection.input)
            if (reply != null) {
                answer(connection, reply)
            } else if (!fill(connection, replies)) {
                return drop("closed the connection")
            }
        }
    }

    /** Reads more; a reply that there is no memory for is read to its end, but not kept, and only its own call fails. */
    private suspend fun fill(connection: Connection, replies: ResponseReader): Boolean {
        val call = pending.firstOrNull()
        if (call?.isAbandoned == true) replies.dropRead(connection.input)
        return try {
            connection.fill()
        } catch (exhausted: BuffersExhausted) {
            call?.abandon("SERVER_ERROR out of memory for the reply of ${server.name}")
            if (!replies.dropRead(connection.input)) throw exhausted
            true
        }
    }

    private fun answer(connection: Connection, reply: Response) {
        val call = pending.firstOrNull() ?: throw ProtocolException("a reply that nobody asked for")
        val isEndOfQuiet = call.isQuiet && reply is Response.Meta && reply.code == MetaCode.MN
        if (!isEndOfQuiet && !call.isAbandoned) {
            call.objectionTo(reply, connection.input)?.let { throw ProtocolException(it) }
        }
        backoff.reset()
        if (isEndOfQuiet || !call.isQuiet) pending.removeFirst()
        when {
            call.isAbandoned -> connection.consume(reply.length)

            isEndOfQuiet -> {
                connection.consume(reply.length)
                call.finish(connection.lastReadNanos)
            }

            else -> hold(call, reply, connection.take(reply.length), connection.lastReadNanos)
        }
    }

    /** The reply is held until its client has taken it, however long that takes: a large one counts. */
    private fun hold(call: ServerCall, reply: Response, bytes: ByteBuffer, nanos: Long) {
        if (bytes.capacity() <= ServerCall.UNCOUNTED_BYTES || loop.buffers.limit.tryReserve(bytes.capacity())) {
            return call.answer(reply, bytes, nanos)
        }
        loop.buffers.release(bytes)
        call.abandon("SERVER_ERROR out of memory for the reply of ${server.name}")
    }

    private fun drop(reason: String) {
        link.lost()
        downReason = reason
        outbox.clear()
        val dropped = connection
        connection = null
        dropped?.close()
        while (true) (pending.removeFirstOrNull() ?: break).fail(failure(reason))
    }

    private fun failure(reason: String) = "SERVER_ERROR ${server.name} $reason"

    companion object {
        private const val TIMED_OUT_AFTER = "did not answer within "
        private val PROBE = "version\r\n".toByteArray()
        private const val SILENT = "has left another request without an answer"

        /** For a connection with one call at a time. */
        const val READ_BYTES = 16 * 1024

        /** For a connection that many share: several replies come with one read. */
        const val SHARED_READ_BYTES = 128 * 1024
    }
}
