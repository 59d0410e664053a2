package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Selectable
import mwlab.net.Waiter
import mwlab.net.serveAll
import java.net.SocketAddress
import java.net.UnixDomainSocketAddress
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey.OP_ACCEPT
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.file.Files

/** A listener whose sockets the loop reads and writes by itself. */
internal class LoopListener(private val loop: EventLoop, private val channel: ServerSocketChannel) :
    Selectable,
    Listener {
    override val address: SocketAddress = channel.localAddress

    private val key = channel.register(loop.selector, 0, this)
    private val waiting = Waiter<Unit>(loop)

    override suspend fun serve(
        loops: List<EventLoop>,
        onFailure: (Throwable) -> Unit,
        handler: suspend (Connection) -> Unit,
    ) = serveAll(loops, onFailure, ::accept) { loop, socket ->
        socket.use { LoopConnection(loop, it).use { connection -> handler(connection) } }
    }

    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        channel.close()
        (address as? UnixDomainSocketAddress)?.let { Files.deleteIfExists(it.path) }
        waiting.fail(ClosedChannelException())
    }

    override fun onSelected() {
        if (!key.isValid) return
        // Selected again only once [accept] asks for it.
        key.interestOps(0)
        waiting.resume(Unit)
    }

    private suspend fun accept(): SocketChannel {
        while (true) {
            channel.accept()?.let { return it }
            key.interestOps(OP_ACCEPT)
            waiting.await()
        }
    }
}
