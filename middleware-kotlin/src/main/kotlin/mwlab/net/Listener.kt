package mwlab.net

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import java.io.IOException
import java.net.SocketAddress
import java.nio.channels.ClosedChannelException
import kotlin.time.Duration.Companion.milliseconds

/** A listening socket, confined to its loop but for [close]. Who bound it closes it; connections already accepted live on. */
interface Listener : AutoCloseable {
    /** The address bound to, with the real port if port 0 was asked for. */
    val address: SocketAddress

    /**
     * Accepts until [close], and runs [handler] for each connection in a coroutine of its own, on the [loops] in turn.
     *
     * The connection is closed when its handler ends. A handler that fails with an [IOException] (the peer is gone) ends quietly, any other
     * failure goes to [onFailure]; neither disturbs other connections. Returns when the listener is closed and all handlers have ended.
     */
    suspend fun serve(loops: List<EventLoop>, onFailure: (Throwable) -> Unit, handler: suspend (Connection) -> Unit)

    /** Stops accepting. Idempotent and thread-safe. */
    override fun close()
}

private val ACCEPT_PAUSE = 50.milliseconds

/** What [Listener.serve] does, whatever its sockets are, until [accept] fails because the listener is closed. [serve] closes the socket. */
internal suspend fun <S> serveAll(
    loops: List<EventLoop>,
    onFailure: (Throwable) -> Unit,
    accept: suspend () -> S,
    serve: suspend (EventLoop, S) -> Unit,
) = supervisorScope {
    var accepted = 0
    while (true) {
        val socket = try {
            accept()
        } catch (_: ClosedChannelException) {
            break
        } catch (_: IOException) {
            // Out of file descriptors, as a rule: connections that end make room again.
            delay(ACCEPT_PAUSE)
            continue
        }
        val target = loops[accepted++ % loops.size]
        launch(target) { guard(onFailure) { serve(target, socket) } }
    }
}

@Suppress("TooGenericExceptionCaught") // the boundary of one connection: nothing it does may reach the others
private suspend inline fun guard(onFailure: (Throwable) -> Unit, serve: suspend () -> Unit) {
    try {
        serve()
    } catch (cancelled: CancellationException) {
        throw cancelled
    } catch (_: IOException) {
        // The peer is gone: an everyday end of a connection.
    } catch (failure: Throwable) {
        onFailure(failure)
    }
}
