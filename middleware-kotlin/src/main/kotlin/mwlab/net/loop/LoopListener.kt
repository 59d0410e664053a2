package mwlab.net.loop

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Selectable
import mwlab.net.Transport.Companion.BACKLOG
import mwlab.net.serveAll
import java.net.InetSocketAddress
import java.net.StandardSocketOptions.SO_REUSEADDR
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey.OP_ACCEPT
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/** A listener whose sockets the loop reads and writes by itself. */
internal class LoopListener private constructor(
    private val loop: EventLoop,
    private val channel: ServerSocketChannel,
) : Selectable,
    Listener {
    override val address: InetSocketAddress = channel.localAddress as InetSocketAddress

    private val key = channel.register(loop.selector, 0, this)
    private var waiting: CancellableContinuation<Unit>? = null

    override suspend fun serve(
        loops: List<EventLoop>,
        onFailure: (Throwable) -> Unit,
        handler: suspend (Connection) -> Unit,
    ) = serveAll(loops, onFailure, ::accept) { loop, socket ->
        socket.use { LoopConnection.accepted(loop, it).use { connection -> handler(connection) } }
    }

    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        channel.close()
        waiting?.also { waiting = null }?.resumeWithException(ClosedChannelException())
    }

    override fun onSelected() {
        waiting?.also { waiting = null }?.resume(Unit)
    }

    private suspend fun accept(): SocketChannel {
        while (true) {
            channel.accept()?.let { return it }
            suspendCancellableCoroutine { continuation ->
                waiting = continuation
                key.interestOps(OP_ACCEPT)
            }
        }
    }

    companion object {
        /** As [LoopTransport.bind]. */
        fun bind(loop: EventLoop, address: InetSocketAddress): LoopListener {
            val channel = ServerSocketChannel.open()
            var bound = false
            try {
                channel.configureBlocking(false)
                channel.setOption(SO_REUSEADDR, true).bind(address, BACKLOG)
                bound = true
                return LoopListener(loop, channel)
            } finally {
                if (!bound) channel.close()
            }
        }
    }
}
