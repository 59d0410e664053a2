package mwlab.net.loop

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import java.net.InetSocketAddress
import kotlin.time.Duration

/** The event loop itself reads and writes the sockets. */
internal object LoopTransport : Transport {
    override suspend fun connect(
        loop: EventLoop,
        address: InetSocketAddress,
        timeout: Duration,
        readBytes: Int,
    ): Connection = LoopConnection.open(loop, address, timeout, readBytes)

    override suspend fun bind(loop: EventLoop, address: InetSocketAddress): Listener = LoopListener.bind(loop, address)
}
