package mwlab.net.ktor

import io.ktor.network.sockets.ServerSocket
import io.ktor.network.sockets.toJavaAddress
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport.Companion.READ_BYTES
import mwlab.net.serveAll
import java.net.SocketAddress

/** A listening socket of ktor-network. */
internal class KtorListener(private val loop: EventLoop, private val socket: ServerSocket) : Listener {
    override val address: SocketAddress = socket.localAddress.toJavaAddress()

    override suspend fun serve(
        loops: List<EventLoop>,
        onFailure: (Throwable) -> Unit,
        handler: suspend (Connection) -> Unit,
    ) {
        val selectors = loops.associateWith(::KtorSelector)
        serveAll(loops, onFailure, socket::accept) { loop, accepted ->
            val connection = KtorConnection(selectors.getValue(loop), accepted, READ_BYTES)
            try {
                connection.use { handler(it) }
            } finally {
                connection.awaitEnd()
            }
        }
    }

    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        socket.close()
    }
}
