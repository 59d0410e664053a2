package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Selectable
import mwlab.net.Transport
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
import java.nio.file.Path
import kotlin.time.Duration

/** The event loop itself reads and writes the sockets. */
internal object LoopTransport : Transport {
    override suspend fun connect(
        loop: EventLoop,
        address: SocketAddress,
        timeout: Duration,
        readBytes: Int,
    ): Connection {
        val channel = if (address is UnixDomainSocketAddress) SocketChannel.open(UNIX) else SocketChannel.open()
        return LoopConnection(loop, channel, readBytes).orClosed { it.connect(address, timeout) }
    }

    override suspend fun bind(loop: EventLoop, address: SocketAddress): Listener {
        val isUnix = address is UnixDomainSocketAddress
        val channel = if (isUnix) ServerSocketChannel.open(UNIX) else ServerSocketChannel.open()
        channel.orClosed {
            it.configureBlocking(false)
            if (isUnix) deleteIfAbandoned(address.path) else it.setOption(SO_REUSEADDR, true)
            it.bind(address, BACKLOG)
        }
        return LoopListener(loop, channel)
    }

    /** Deletes the socket that a process which was killed has left behind: nobody answers there. */
    private fun deleteIfAbandoned(path: Path) {
        if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) return
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(path)).close()
        } catch (_: ConnectException) {
            Files.deleteIfExists(path)
        }
    }

    /** Closes it unless [prepare] succeeds. */
    private inline fun <C : AutoCloseable> C.orClosed(prepare: (C) -> Unit): C {
        var isPrepared = false
        try {
            prepare(this)
            isPrepared = true
            return this
        } finally {
            if (!isPrepared) close()
        }
    }
}

/** A listener whose sockets the loop reads and writes by itself. */
private class LoopListener(private val loop: EventLoop, private val channel: ServerSocketChannel) :
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
        if (!channel.isOpen) return
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
