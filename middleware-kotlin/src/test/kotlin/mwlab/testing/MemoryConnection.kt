package mwlab.testing

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Waiter
import mwlab.net.buffer.Input
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException

/**
 * A connection without a socket, whose peer is the test. Confined to the loop's thread, as every connection.
 *
 * @param onWritten called with the bytes of each write
 */
class MemoryConnection(
    override val loop: EventLoop,
    readBytes: Int = 8 * 1024,
    private val onWritten: MemoryConnection.(ByteArray) -> Unit = {},
) : Connection {
    private val received = Input(loop.buffers, readBytes)
    private val reader = Waiter<Boolean>(loop)
    private val writer = Waiter<Unit>(loop)
    private val arriving = ArrayDeque<ByteArray>()
    private val taken = ByteArrayOutputStream()
    private var hasEnded = false
    private var failure: IOException? = null

    override val localAddress: SocketAddress = InetSocketAddress(InetAddress.getLoopbackAddress(), 1)
    override val remoteAddress: SocketAddress = InetSocketAddress(InetAddress.getLoopbackAddress(), 2)
    override val input: ByteBuffer get() = received.bytes
    override var lastReadNanos = 0L
        private set
    override var lastRoomNanos = 0L
        private set

    /** Bytes that the socket's buffer still takes. */
    var room = Int.MAX_VALUE
        private set

    /** Whether this side was closed. */
    var isClosed = false
        private set

    /** Whether this side has ended its output. */
    var hasEndedOutput = false
        private set

    /** All that was written so far. */
    val written: String get() = taken.toString(Charsets.ISO_8859_1)

    /** The peer sends [text], one byte per character. */
    fun receive(text: String) {
        arriving += text.toByteArray(Charsets.ISO_8859_1)
        if (reader.isWaiting) resumeReader()
    }

    /** The peer ends its side in order. */
    fun receiveEnd() {
        hasEnded = true
        if (reader.isWaiting) resumeReader()
    }

    /** The connection breaks: reading and writing fail from now on. */
    fun breakOff() {
        val broken = IOException("Connection reset")
        failure = broken
        reader.fail(broken)
        writer.fail(broken)
    }

    /** The socket's buffer takes no more than [bytes] from now on; who waits for room goes on. */
    fun makeRoom(bytes: Int) {
        room = bytes
        if (room == 0) return
        lastRoomNanos = loop.clock.nanos()
        writer.resume(Unit)
    }

    override suspend fun fill(): Boolean {
        check()
        received.shrink()
        return if (arriving.isEmpty() && !hasEnded) reader.await() else read()
    }

    override fun consume(length: Int) = received.consume(length)

    override fun keep(length: Int) = received.keep(length)

    override fun take(length: Int): ByteBuffer = received.take(length)

    override fun tryWrite(buffers: Array<ByteBuffer>): Boolean {
        check()
        val bytes = ByteArray(minOf(room.toLong(), buffers.sumOf { it.remaining().toLong() }).toInt())
        var length = 0
        for (buffer in buffers) {
            val part = minOf(buffer.remaining(), bytes.size - length)
            buffer.get(bytes, length, part)
            length += part
        }
        if (room != Int.MAX_VALUE) room -= length
        taken.write(bytes)
        if (length > 0) onWritten(bytes)
        return buffers.none { it.hasRemaining() }
    }

    override suspend fun awaitWritable() {
        check()
        if (room == 0) writer.await()
    }

    override fun endOutput() {
        hasEndedOutput = true
    }

    override fun close() {
        if (isClosed) return
        isClosed = true
        received.release()
        reader.fail(ClosedChannelException())
        writer.fail(ClosedChannelException())
    }

    private fun check() {
        if (isClosed) throw ClosedChannelException()
        failure?.let { throw it }
    }

    private fun resumeReader() {
        val isOpen = try {
            read()
        } catch (exhausted: IOException) {
            return reader.fail(exhausted)
        }
        reader.resume(isOpen)
    }

    private fun read(): Boolean {
        lastReadNanos = loop.clock.nanos()
        val next = arriving.firstOrNull() ?: return false
        val count = received.append { buffer ->
            minOf(buffer.remaining(), next.size).also { buffer.put(next, 0, it) }
        }
        arriving.removeFirst()
        if (count < next.size) arriving.addFirst(next.copyOfRange(count, next.size))
        return true
    }
}
