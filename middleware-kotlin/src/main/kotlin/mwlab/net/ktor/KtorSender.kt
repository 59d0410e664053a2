package mwlab.net.ktor

import io.ktor.network.selector.SelectInterest
import io.ktor.network.selector.Selectable
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.InternalAPI
import kotlinx.io.readAtMostTo
import kotlinx.io.write
import mwlab.net.Waiter
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel

/**
 * Sends through a socket what is put into a channel of ktor, which holds at most [MAX_UNSENT_BYTES].
 *
 * Does in one write what ktor's own job does in pieces of 8 KiB on a thread of `Dispatchers.IO`. Confined to the loop's thread.
 */
@OptIn(InternalAPI::class)
internal class KtorSender(private val selector: KtorSelector, private val socket: Selectable) {
    private val channel = ByteChannel()
    private val room = Waiter<Unit>(selector.loop)

    /** Bytes put and not yet taken by the socket. */
    var unsentBytes = 0
        private set

    /** When the socket's full buffer had room again the last time, on the loop's clock. */
    var lastRoomNanos = 0L
        private set

    /** Sends until [close], and then the rest. */
    suspend fun run() {
        while (channel.awaitContent()) send()
    }

    /** Takes as much of [buffers] as there is room for; true if that is all. */
    fun put(buffers: Array<ByteBuffer>): Boolean {
        val sink = channel.writeBuffer
        for (buffer in buffers) {
            val limit = buffer.limit()
            buffer.limit(minOf(limit, buffer.position() + MAX_UNSENT_BYTES - unsentBytes))
            unsentBytes += sink.write(buffer)
            buffer.limit(limit)
        }
        channel.flushWriteBuffer()
        return buffers.none { it.hasRemaining() }
    }

    suspend fun awaitRoom() {
        if (unsentBytes == MAX_UNSENT_BYTES) room.await()
    }

    /** Suspends until the socket has all that was put; nobody puts more meanwhile. */
    suspend fun awaitSent() {
        while (unsentBytes > 0) room.await()
    }

    /** Takes no more, and fails whoever waits because of [cause]; what it has taken is still sent. */
    fun close(cause: Throwable) {
        channel.close()
        room.fail(cause)
    }

    /** Drops all, because of [cause]. */
    fun cancel(cause: Throwable) {
        channel.cancel(cause)
        room.fail(cause)
    }

    private suspend fun send() {
        val buffers = selector.loop.buffers
        val buffer = buffers.acquire(unsentBytes)
        try {
            val source = channel.readBuffer
            while (buffer.hasRemaining() && !source.exhausted()) source.readAtMostTo(buffer)
            write(buffer.flip())
        } finally {
            buffers.release(buffer)
        }
    }

    private suspend fun write(buffer: ByteBuffer) {
        while (true) {
            unsentBytes -= (socket.channel as SocketChannel).write(buffer)
            if (unsentBytes < MAX_UNSENT_BYTES) room.resume(Unit)
            if (!buffer.hasRemaining()) return
            selector.select(socket, SelectInterest.WRITE)
            lastRoomNanos = selector.loop.clock.nanos()
        }
    }

    private companion object {
        const val MAX_UNSENT_BYTES = 64 * 1024
    }
}
