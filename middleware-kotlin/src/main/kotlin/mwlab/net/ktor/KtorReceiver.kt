package mwlab.net.ktor

import io.ktor.network.selector.SelectInterest
import io.ktor.network.selector.Selectable
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.ClosedByteChannelException
import io.ktor.utils.io.InternalAPI
import kotlinx.io.readAtMostTo
import kotlinx.io.write
import mwlab.net.Waiter
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel

/**
 * Moves what a socket receives into a channel of ktor, at most two times [readBytes] ahead of who reads it.
 *
 * Does in one read what ktor's own job does in pieces of 8 KiB on a thread of `Dispatchers.IO`. Confined to the loop's thread.
 */
@OptIn(InternalAPI::class)
internal class KtorReceiver(
    private val selector: KtorSelector,
    private val socket: Selectable,
    private val readBytes: Int,
) {
    private val channel = ByteChannel()
    private val isRead = Waiter<Unit>(selector.loop)
    private var unread = 0

    /** When something came the last time, on the loop's clock. */
    var lastReadNanos = 0L
        private set

    /** Receives until the peer has ended its side. */
    suspend fun run() {
        while (receive()) {
            while (unread >= readBytes) isRead.await()
        }
        channel.close()
    }

    /** Suspends until there is something to [read]; false when the peer has ended its side. Fails with the cause of [cancel]. */
    suspend fun awaitContent(): Boolean = try {
        channel.awaitContent()
    } catch (closed: ClosedByteChannelException) {
        throw generateSequence<Throwable>(closed) { it.cause }.firstOrNull { it !is ClosedByteChannelException }
            ?: closed
    }

    /** Moves what is there into [buffer], as far as it has room. */
    fun read(buffer: ByteBuffer) {
        val start = buffer.position()
        val source = channel.readBuffer
        while (buffer.hasRemaining() && !source.exhausted()) source.readAtMostTo(buffer)
        unread -= buffer.position() - start
        isRead.resume(Unit)
    }

    /** Fails whoever waits, or will wait, because of [cause]. */
    fun cancel(cause: Throwable) = channel.cancel(cause)

    private suspend fun receive(): Boolean {
        selector.select(socket, SelectInterest.READ)
        val buffers = selector.loop.buffers
        val buffer = buffers.acquire(readBytes)
        try {
            if ((socket.channel as SocketChannel).read(buffer) < 0) return false
            lastReadNanos = selector.loop.clock.nanos()
            unread += channel.writeBuffer.write(buffer.flip())
        } finally {
            buffers.release(buffer)
        }
        channel.flush()
        return true
    }
}
