package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import java.net.SocketAddress
import java.net.StandardProtocolFamily.UNIX
import java.net.UnixDomainSocketAddress
import java.nio.channels.SocketChannel
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
        val connection = LoopConnection(loop, channel, readBytes)
        var isConnected = false
        try {
            connection.connect(address, timeout)
            isConnected = true
            return connection
        } finally {
            if (!isConnected) connection.close()
        }
    }

    override suspend fun bind(loop: EventLoop, address: SocketAddress): Listener = LoopListener.bind(loop, address)
}
