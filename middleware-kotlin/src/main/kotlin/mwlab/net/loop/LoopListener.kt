package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Selectable
import mwlab.net.Transport.Companion.BACKLOG
import mwlab.net.Waiter
import mwlab.net.serveAll
import java.net.ConnectException
import java.net.SocketAddress
import java.net.StandardProtocolFamily.UNIX
import java.net.StandardSocketOptions.SO_REUSEADDR
import java.net.UnixDomainSocketAddress
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey.OP_ACCEPT
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.file.Files

/** A listener whose sockets the loop reads and writes by itself. */
internal class LoopListener private constructor(
    private val loop: EventLoop,
    private val channel: ServerSocketChannel,
) : Selectable,
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

    companion object {
        /** As [LoopTransport.bind]. */
        fun bind(loop: EventLoop, address: SocketAddress): LoopListener {
            val isUnix = address is UnixDomainSocketAddress
            val channel = if (isUnix) ServerSocketChannel.open(UNIX) else ServerSocketChannel.open()
            var bound = false
            try {
                channel.configureBlocking(false)
                if (isUnix) deleteIfAbandoned(address) else channel.setOption(SO_REUSEADDR, true)
                channel.bind(address, BACKLOG)
                bound = true
                return LoopListener(loop, channel)
            } finally {
                if (!bound) channel.close()
            }
        }

        /** Deletes the socket that a process which was killed has left behind: nobody answers there. */
        private fun deleteIfAbandoned(address: SocketAddress) {
            val path = (address as UnixDomainSocketAddress).path
            if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) return
            try {
                SocketChannel.open(address).close()
            } catch (_: ConnectException) {
                Files.deleteIfExists(path)
            }
        }
    }
}
