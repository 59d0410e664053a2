package mwlab.middleware.server

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.backend.Backoff
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Transport
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import kotlin.time.Duration

/**
 * A connection to one memcached server that comes back when it is lost: one [ServerSession] after the other.
 *
 * Confined to the loop's thread; [run] owns the socket.
 *
 * @param onFailure is told of what should never happen; it ends one session, as other failures do.
 */
internal class ServerConnection(
    private val transport: Transport,
    override val loop: EventLoop,
    private val server: Server,
    private val address: InetSocketAddress,
    private val timeout: Duration,
    private val onFailure: (Throwable) -> Unit,
    private val backoff: Backoff = Backoff(),
    private val readBytes: Int = READ_BYTES,
) : BackEndConnection {
    private var session: ServerSession? = null
    private var downReason = "is not connected yet"
    private var wasSilent = false
    private val tried = CompletableDeferred<Unit>()

    override val link = ServerLink(server.name)

    @Suppress("TooGenericExceptionCaught") // the boundary of one connection: without it, it would never come back
    override suspend fun run() {
        while (true) {
            try {
                transport.connect(loop, address, timeout, readBytes).use { serve(it) }
            } catch (lost: IOException) {
                end("failed: ${lost.message}")
            } catch (garbage: ProtocolException) {
                end("sent ${garbage.message}")
            } catch (cancelled: CancellationException) {
                throw cancelled
            } catch (failure: Throwable) {
                end("failed: $failure")
                onFailure(failure)
            } finally {
                end(downReason)
                link.failed(downReason)
                tried.complete(Unit)
            }
            delay(backoff.next())
        }
    }

    override suspend fun awaitFirstAttempt() = tried.await()

    override fun send(call: ServerCall): (suspend () -> Unit)? =
        sessionFor(call)?.send(call, serverRequest(call.job, call))

    override fun submit(call: ServerCall) {
        sessionFor(call)?.submit(call, serverRequest(call.job, call))
    }

    override fun checkTimeout(nanos: Long) {
        session?.checkTimeout(nanos)
    }

    private fun sessionFor(call: ServerCall): ServerSession? =
        session ?: null.also { call.fail(server.failure(downReason), loop.clock.nanos()) }

    private suspend fun serve(connection: Connection) {
        if (wasSilent && !answers(connection)) return
        val session = ServerSession(connection, server, timeout)
        this.session = session
        link.connected()
        tried.complete(Unit)
        session.readReplies()
    }

    /** A server that hangs still accepts connections: without an answer on the new one, every request would wait for it in vain. */
    private suspend fun answers(connection: Connection): Boolean = withTimeoutOrNull(timeout) {
        connection.write(ByteBuffer.wrap(PROBE))
        val replies = ResponseReader()
        var reply: Response? = null
        while (reply == null && connection.fill()) reply = replies.next(connection.input)
        reply?.let { connection.consume(it.length) } != null
    } ?: false

    /** Why the session ended first is why the server is down: what follows follows from that. */
    private fun end(reason: String) {
        val ended = session
        session = null
        ended?.end(reason)
        downReason = ended?.endReason ?: reason
        if (ended != null) wasSilent = ended.hasTimedOut
        if (ended?.hasAnswered == true) backoff.reset()
    }

    companion object {
        private val PROBE = "version\r\n".toByteArray()

        /** For a connection with one call at a time. */
        const val READ_BYTES = 16 * 1024

        /** For a connection that many share: several replies come with one read. */
        const val SHARED_READ_BYTES = 128 * 1024
    }
}
