package mwlab.middleware.server

import mwlab.memcached.RequestReader
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.job.Server
import mwlab.middleware.routing.Router
import mwlab.net.EventLoop
import mwlab.net.Transport
import mwlab.net.text
import java.net.SocketAddress
import kotlin.time.Duration

/**
 * Memcached servers at [addresses].
 *
 * @param areShared whether several workers use a connection.
 * @param onFailure is told of what should never happen; it ends one connection for a while.
 */
internal class MemcachedBackEnd(
    private val addresses: List<SocketAddress>,
    private val transport: Transport,
    private val timeout: Duration,
    areShared: Boolean,
    private val onFailure: (Throwable) -> Unit,
    private val newRouter: (worker: Int) -> Router,
    private val newReader: () -> RequestReader,
) : BackEnd {
    private val readBytes = if (areShared) ServerConnection.SHARED_READ_BYTES else ServerConnection.READ_BYTES

    override val servers = addresses.mapIndexed { index, address -> Server(index, address.text) }

    override fun requestReader() = newReader()

    override fun router(worker: Int) = newRouter(worker)

    override fun connectionTo(server: Server, loop: EventLoop) =
        ServerConnection(transport, loop, server, addresses[server.index], timeout, onFailure, readBytes = readBytes)
}
