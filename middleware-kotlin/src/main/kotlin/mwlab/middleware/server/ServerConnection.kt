package mwlab.middleware.server

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.memcached.startsWith
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.backend.Backoff
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Transport
import java.io.EOFException
import java.io.IOException
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import java.nio.ByteBuffer
import kotlin.time.Duration

/** A connection to one memcached server that comes back when it is lost: one [ServerSession] after the other. [run] owns the socket. */
internal class ServerConnection(
    private val transport: Transport,
    override val loop: EventLoop,
    private val server: Server,
    private val address: SocketAddress,
    private val timeout: Duration,
    private val onFailure: (Throwable) -> Unit,
    private val readBytes: Int = READ_BYTES,
    private val backoff: Backoff = Backoff(),
) : BackEndConnection {
    private var session: ServerSession? = null
    private var downReason = "is not connected yet"

    /** A call that waits for the connection to come back, and since when. */
    private class Waiting(val call: ServerCall, val sinceNanos: Long)

    private val waiting = ArrayDeque<Waiting>()

    /** A session that was not silent is over, and the first attempt to connect again has not ended. */
    private var hasJustEnded = false

    private val isComingBack: Boolean
        get() = hasJustEnded || session?.let { it.endReason != null && !it.hasTimedOut } == true

    override val link = ServerLink(server.name)
    override val firstAttempt = CompletableDeferred<Unit>()

    override suspend fun run() {
        try {
            while (true) {
                end(reasonOfEnd())
                delay(backoff.next())
            }
        } finally {
            end(downReason)
            failWaiting()
        }
    }

    /** Connects, serves as long as that lasts, and returns why it did not last longer. */
    @Suppress("TooGenericExceptionCaught") // the boundary of one connection: without it, it would never come back
    private suspend fun reasonOfEnd(): String = try {
        transport.connect(loop, addressNow(), timeout, readBytes).use { serve(it) }
        "closed the connection"
    } catch (lost: IOException) {
        "failed: ${lost.message}"
    } catch (garbage: ProtocolException) {
        "sent ${garbage.message}"
    } catch (login: BackEndUnusable) {
        LOGIN_IS_NOT_PASSED_ON.also { firstAttempt.completeExceptionally(login) }
    } catch (cancelled: CancellationException) {
        throw cancelled
    } catch (failure: Throwable) {
        onFailure(failure)
        "failed: $failure"
    }

    override fun submit(call: ServerCall) {
        val nanos = loop.clock.nanos()
        val session = session?.takeIf { it.endReason == null }
        when {
            session != null -> serverRequest(call.job, call, loop.buffers)?.let { session.submit(call, it) }
                ?: call.fail("SERVER_ERROR out of memory for the request to ${server.name}", nanos)

            isComingBack -> waiting.addLast(Waiting(call, nanos))

            else -> call.fail(server.failure(this.session?.endReason ?: downReason), nanos)
        }
    }

    override fun checkTimeout(nanos: Long) {
        session?.checkTimeout(nanos)
        if (waiting.isEmpty()) return
        val overdue = waiting.filter {
            nanos - it.sinceNanos > minOf(timeout.inWholeNanoseconds, it.call.patience.nanos)
        }
        waiting -= overdue
        overdue.forEach { it.call.fail(server.failure(downReason), nanos) }
    }

    /** The address that the name stands for now: a server may have moved since the last time. */
    private suspend fun addressNow(): SocketAddress {
        if (address !is InetSocketAddress) return address
        val name = address.hostString
        if (link.connects == 0L || name == address.address?.hostAddress) return address
        val found = withContext(Dispatchers.IO) { InetSocketAddress(name, address.port) }
        return if (found.isUnresolved) throw UnknownHostException("nobody knows the host $name") else found
    }

    private suspend fun serve(connection: Connection) {
        if (!answers(connection)) throw SocketTimeoutException("no answer within $timeout")
        val session = ServerSession(connection, server, timeout, ::takeOver)
        this.session = session
        link.connected()
        firstAttempt.complete(Unit)
        repeat(waiting.size) { submit(waiting.removeFirst().call) }
        session.readReplies()
    }

    /**
     * Whether the server answers on its new [connection]: one that hangs still accepts connections, and every request would wait for it in
     * vain. A server that wants a login is of no use: clients share its connections, so that the login of one would let in all.
     */
    private suspend fun answers(connection: Connection): Boolean = withTimeoutOrNull(timeout) {
        connection.write(ByteBuffer.wrap(PROBE))
        val replies = ResponseReader()
        var reply: Response? = null
        while (reply == null) {
            if (!connection.fill()) throw EOFException("closed the connection before it answered")
            reply = replies.next(connection.input)
        }
        val input = connection.input
        if (startsWith(input, input.position(), input.limit(), WANTS_LOGIN)) {
            throw BackEndUnusable("${server.name} $LOGIN_IS_NOT_PASSED_ON")
        }
        connection.consume(reply.length)
        true
    } ?: false

    private fun takeOver(call: ServerCall) {
        call.askAgain()
        waiting.addLast(Waiting(call, loop.clock.nanos()))
    }

    /** Why the session ended first is why the server is down: what follows follows from that. */
    private fun end(reason: String) {
        val ended = session
        ended?.end(reason)
        session = null
        hasJustEnded = ended?.hasTimedOut == false
        if (ended?.hasAnswered == true) backoff.reset()
        // What waits for an attempt that has failed hears what had ended the session before.
        if (ended != null) downReason = ended.endReason!!
        if (!hasJustEnded) failWaiting()
        if (ended == null) downReason = reason
        link.failed(downReason)
        firstAttempt.complete(Unit)
    }

    private fun failWaiting() =
        repeat(waiting.size) { waiting.removeFirst().call.fail(server.failure(downReason), loop.clock.nanos()) }

    companion object {
        private val PROBE = "version\r\n".toByteArray()
        private const val WANTS_LOGIN = "CLIENT_ERROR unauthenticated"
        private const val LOGIN_IS_NOT_PASSED_ON =
            "wants a login, which is not passed on, since clients share connections: " +
                "start it without -Y (--auth-file)"

        const val READ_BYTES = 16 * 1024

        /** Of a connection that many share: several replies come with one read. */
        const val SHARED_READ_BYTES = 128 * 1024
    }
}
