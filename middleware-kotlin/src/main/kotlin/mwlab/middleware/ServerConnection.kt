package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.memcached.MetaCode
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
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
    private val tried = CompletableDeferred<Unit>()
    private val blocked = Channel<Unit>(Channel.CONFLATED)

    val isUp: Boolean get() = connection != null

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
                tried.complete(Unit)
            }
            delay(backoff.next())
        }
    }

    /** Suspends until the first attempt to connect has succeeded or failed. */
    suspend fun awaitFirstAttempt() = tried.await()

    /** Sends [buffers] for [call], which is answered or fails in its own time. Suspends while the socket's buffer is full. */
    suspend fun send(call: ServerCall, buffers: Array<ByteBuffer>) {
        val connection = this.connection ?: return call.fail(failure(downReason))
        pending.addLast(call)
        call.bytesOut = buffers.sumOf { it.remaining() }
        call.sentNanos = System.nanoTime()
        var sent = false
        try {
            connection.write(buffers)
            call.sentNanos = System.nanoTime()
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
        if (connection == null) return call.fail(failure(downReason))
        pending.addLast(call)
        call.bytesOut = buffers.sumOf { it.remaining() }
        call.sentNanos = System.nanoTime()
        if (outbox.isEmpty) loop.atEndOfTurn(::flush)
        outbox.add(call, buffers)
    }

    /** Drops the connection if its oldest call has waited too long at [nanos]. */
    fun checkTimeout(nanos: Long) {
        val oldest = pending.firstOrNull() ?: return
        if (nanos - oldest.sentNanos > timeout.inWholeNanoseconds) drop("did not answer within $timeout")
    }

    private suspend fun serve(connection: Connection) = coroutineScope {
        this@ServerConnection.connection = connection
        tried.complete(Unit)
        val writing = launch { while (true) writeBlocked(connection) }
        try {
            readReplies(connection)
        } finally {
            writing.cancel()
        }
    }

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
            } else if (!connection.fill()) {
                return drop("closed the connection")
            }
        }
    }

    private fun answer(connection: Connection, reply: Response) {
        val call = pending.firstOrNull() ?: throw ProtocolException("a reply that nobody asked for")
        backoff.reset()
        if (call.isQuiet && reply is Response.Meta && reply.code == MetaCode.MN) {
            connection.consume(reply.length)
            pending.removeFirst().finish(connection.lastReadNanos)
        } else {
            if (!call.isQuiet) pending.removeFirst()
            call.answer(reply, connection.take(reply.length), connection.lastReadNanos)
        }
    }

    private fun drop(reason: String) {
        downReason = reason
        outbox.clear()
        val dropped = connection
        connection = null
        dropped?.close()
        while (true) (pending.removeFirstOrNull() ?: break).fail(failure(reason))
    }

    private fun failure(reason: String) = "SERVER_ERROR ${server.name} $reason"

    companion object {
        /** For a connection with one call at a time. */
        const val READ_BYTES = 16 * 1024

        /** For a connection that many share: several replies come with one read. */
        const val SHARED_READ_BYTES = 128 * 1024
    }
}
