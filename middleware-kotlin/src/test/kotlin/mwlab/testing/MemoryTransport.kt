package mwlab.testing

import kotlinx.coroutines.channels.Channel
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import mwlab.net.serveAll
import java.net.ConnectException
import java.net.SocketAddress
import java.nio.channels.ClosedChannelException
import kotlin.time.Duration

/**
 * Opens connections without sockets, on one loop: who connects reaches the server that the test has put at the address, and clients of
 * a listener are made with [MemoryListener.connect]. Not thread-safe.
 */
class MemoryTransport(private val servers: Map<out SocketAddress, (EventLoop) -> MemoryConnection>) : Transport {
    /** The listener that was bound last. */
    lateinit var listener: MemoryListener
        private set

    override suspend fun connect(
        loop: EventLoop,
        address: SocketAddress,
        timeout: Duration,
        readBytes: Int,
    ): Connection = servers[address]?.invoke(loop) ?: throw ConnectException("Connection refused")

    override suspend fun bind(loop: EventLoop, address: SocketAddress): Listener =
        MemoryListener(address).also { listener = it }
}

/** Accepts the connections that the test makes. */
class MemoryListener(override val address: SocketAddress) : Listener {
    private val waiting = Channel<MemoryConnection>(Channel.UNLIMITED)

    /** Connect a new client on [loop]; [onWritten] is called with the bytes that the client is sent. */
    fun connect(loop: EventLoop, onWritten: MemoryConnection.(ByteArray) -> Unit): MemoryConnection =
        MemoryConnection(loop, onWritten = onWritten).also { waiting.trySend(it) }

    override suspend fun serve(
        loops: List<EventLoop>,
        onFailure: (Throwable) -> Unit,
        handler: suspend (Connection) -> Unit,
    ) = serveAll(loops, onFailure, ::accept) { _, connection -> connection.use { handler(it) } }

    override fun close() {
        waiting.close()
    }

    private suspend fun accept(): MemoryConnection =
        waiting.receiveCatching().getOrNull() ?: throw ClosedChannelException()
}
