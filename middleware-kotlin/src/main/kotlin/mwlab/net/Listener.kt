package mwlab.net

import java.io.IOException
import java.net.SocketAddress

/**
 * A listening socket on an [EventLoop].
 *
 * Confined to the loop's thread, except [close]. Who bound it closes it; connections already accepted live on.
 */
interface Listener : AutoCloseable {
    /** The address bound to, with the real port if port 0 was asked for. */
    val address: SocketAddress

    /**
     * Accepts until [close], and runs [handler] for each connection in a coroutine of its own, on the [loops] in turn.
     *
     * The connection is closed when its handler ends. A handler that fails with an [IOException] (the peer is gone) ends
     * quietly, any other failure, an [Error] too, goes to [onFailure]; neither disturbs the other connections. Returns when the listener is
     * closed and the last handler has ended.
     */
    suspend fun serve(loops: List<EventLoop>, onFailure: (Throwable) -> Unit, handler: suspend (Connection) -> Unit)

    /** Stops accepting. Idempotent and thread-safe. */
    override fun close()
}
