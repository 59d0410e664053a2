package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import mwlab.net.Transport.Companion.BACKLOG
import java.net.ConnectException
import java.net.SocketAddress
import java.net.StandardProtocolFamily.UNIX
import java.net.StandardSocketOptions.SO_REUSEADDR
import java.net.UnixDomainSocketAddress
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
