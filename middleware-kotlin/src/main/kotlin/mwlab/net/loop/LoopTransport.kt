package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import java.net.SocketAddress
import kotlin.time.Duration

/** The event loop itself reads and writes the sockets. */
internal object LoopTransport : Transport {
    override suspend fun connect(
        loop: EventLoop,
        address: SocketAddress,
        timeout: Duration,
        readBytes: Int,
    ): Connection = LoopConnection.open(loop, address, timeout, readBytes)

    override suspend fun bind(loop: EventLoop, address: SocketAddress): Listener = LoopListener.bind(loop, address)
}
