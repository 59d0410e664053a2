package mwlab.net

import java.io.IOException
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException

/**
 * A connection on an [EventLoop], by TCP with `TCP_NODELAY` set, or by a Unix domain socket; see [Transport] for who moves its bytes.
 *
 * Confined to the loop's thread, except [close]. One coroutine may read while another writes; two may not do the same. Who opened or
 * accepted the connection closes it. While it waits for bytes, it holds a buffer of the usual size, or none if [input] is empty.
 */
interface Connection : AutoCloseable {
    val loop: EventLoop

    /** This side's address and port. @throws IOException if the connection is closed */
    val localAddress: SocketAddress

    /** The peer's; otherwise as [localAddress]. */
    val remoteAddress: SocketAddress

    /** Bytes received and not yet consumed, between position and limit. Replaced by [fill], [keep] and [take]: read it anew. */
    val input: ByteBuffer

    /** When the latest bytes of [input] were read from the socket, on the clock of the [loop]. */
    val lastReadNanos: Long

    /** When the socket's full buffer had room again the last time, that is, when the peer had taken some of it; on the same clock. */
    val lastRoomNanos: Long

    /**
     * Suspends until [input] holds at least one more byte; false when the peer has ended its side.
     *
     * @throws BuffersExhausted if there is no memory for more; nothing is read or lost then.
     * @throws IOException if the connection is broken, or closed meanwhile.
     */
    suspend fun fill(): Boolean

    /** Drops the first [length] bytes of [input]. */
    fun consume(length: Int)

    /** Drops what follows the first [length] bytes of [input], and the room that it took. */
    fun keep(length: Int)

    /** Takes the first [length] bytes out of [input], without a copy where possible; the caller gives them to [BufferPool.release]. */
    fun take(length: Int): ByteBuffer

    /** Writes all remaining bytes of [buffer]; suspends only while there is no room for them. */
    suspend fun write(buffer: ByteBuffer) = write(arrayOf(buffer))

    /** Writes all remaining bytes of all [buffers] in order, in one step where possible. */
    suspend fun write(buffers: Array<ByteBuffer>) {
        while (!tryWrite(buffers)) awaitWritable()
    }

    /** Writes what there is room for of [buffers] now; true if that is all, and none of it is needed any longer. */
    fun tryWrite(buffers: Array<ByteBuffer>): Boolean

    /** Suspends until there is room again, after [tryWrite] has met none. */
    suspend fun awaitWritable()

    /** Tells the peer that nothing more will be written; what was written is still sent, and reading goes on. */
    fun endOutput()

    /** Closes both sides and fails whoever waits with [ClosedChannelException]; what was written is still sent. Idempotent, thread-safe. */
    override fun close()
}
