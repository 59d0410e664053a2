package mwlab.net

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.suspendCancellableCoroutine
import java.io.IOException
import java.net.InetSocketAddress
import java.net.StandardSocketOptions.SO_REUSEADDR
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey.OP_ACCEPT
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration.Companion.milliseconds

/**
 * A listening TCP socket on an [EventLoop].
 *
 * Confined to the loop's thread, except [close]. Who bound it closes it; connections already accepted live on.
 */
class Listener private constructor(private val loop: EventLoop, private val channel: ServerSocketChannel) :
    Selectable,
    AutoCloseable {
    /** The address bound to, with the real port if port 0 was asked for. */
    val address: InetSocketAddress = channel.localAddress as InetSocketAddress

    private val key = channel.register(loop.selector, 0, this)
    private var waiting: CancellableContinuation<Unit>? = null

    /**
     * Accepts until [close], and runs [handler] for each connection in a coroutine of its own, on the [loops] in turn.
     *
     * The connection is closed when its handler ends. A handler that fails with an [IOException] (the peer is gone) ends
     * quietly, any other failure, an [Error] too, goes to [onFailure]; neither disturbs the other connections. Returns when the listener is
     * closed and the last handler has ended.
     */
    suspend fun serve(
        loops: List<EventLoop> = listOf(loop),
        onFailure: (Throwable) -> Unit,
        handler: suspend (Connection) -> Unit,
    ) = supervisorScope {
        var accepted = 0
        while (true) {
            val socket = accept() ?: break
            val target = loops[accepted++ % loops.size]
            launch(target) { handle(target, socket, onFailure, handler) }
        }
    }

    /** Stops accepting. Idempotent and thread-safe. */
    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        channel.close()
        waiting?.also { waiting = null }?.resumeWithException(ClosedChannelException())
    }

    override fun onSelected() {
        waiting?.also { waiting = null }?.resume(Unit)
    }

    private suspend fun accept(): SocketChannel? {
        while (channel.isOpen) {
            try {
                channel.accept()?.let { return it }
                suspendCancellableCoroutine { continuation ->
                    waiting = continuation
                    key.interestOps(OP_ACCEPT)
                }
            } catch (_: ClosedChannelException) {
                return null
            } catch (_: IOException) {
                // Out of file descriptors, as a rule: connections that end make room again.
                delay(ACCEPT_PAUSE)
            }
        }
        return null
    }

    companion object {
        private const val BACKLOG = 4096
        private val ACCEPT_PAUSE = 50.milliseconds

        /**
         * Binds to [address] (port 0: any free one); call on the loop's thread.
         *
         * @throws IOException if the address is in use or not of this host.
         */
        fun bind(loop: EventLoop, address: InetSocketAddress): Listener {
            val channel = ServerSocketChannel.open()
            var bound = false
            try {
                channel.configureBlocking(false)
                channel.setOption(SO_REUSEADDR, true).bind(address, BACKLOG)
                bound = true
                return Listener(loop, channel)
            } finally {
                if (!bound) channel.close()
            }
        }

        @Suppress("TooGenericExceptionCaught") // the boundary of one connection: nothing it does may reach the others
        private suspend fun handle(
            loop: EventLoop,
            socket: SocketChannel,
            onFailure: (Throwable) -> Unit,
            handler: suspend (Connection) -> Unit,
        ) {
            try {
                socket.use { Connection.accepted(loop, it).use { connection -> handler(connection) } }
            } catch (cancelled: CancellationException) {
                throw cancelled
            } catch (_: IOException) {
                // The peer is gone: an everyday end of a connection.
            } catch (failure: Throwable) {
                onFailure(failure)
            }
        }
    }
}
