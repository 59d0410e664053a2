package mwlab.net

import kotlinx.coroutines.withTimeoutOrNull
import java.io.IOException
import java.net.InetSocketAddress
import java.net.SocketTimeoutException
import java.net.StandardSocketOptions.TCP_NODELAY
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey
import java.nio.channels.SelectionKey.OP_CONNECT
import java.nio.channels.SelectionKey.OP_READ
import java.nio.channels.SelectionKey.OP_WRITE
import java.nio.channels.SocketChannel
import kotlin.time.Duration

/**
 * A TCP connection on an [EventLoop], with `TCP_NODELAY` set.
 *
 * Confined to the loop's thread, except [close]. One coroutine may read while another writes; two may not do the same.
 * Who opened or accepted the connection closes it. While it waits for bytes with an empty [input], it holds no buffer.
 */
class Connection private constructor(
    val loop: EventLoop,
    private val channel: SocketChannel,
    private val readBytes: Int,
) : Selectable,
    AutoCloseable {
    /** Bytes received and not yet consumed, between position and limit. Replaced by [fill] and [take]: read it anew. */
    var input: ByteBuffer = BufferPool.EMPTY
        private set

    /** When the latest bytes of [input] were read, on the loop's clock. */
    var lastReadNanos = 0L
        private set

    /** When the socket's full buffer had room again the last time, that is, when the peer had taken some of it; on the same clock. */
    var lastRoomNanos = 0L
        private set

    val isOpen: Boolean get() = channel.isOpen

    private val key: SelectionKey = channel.register(loop.selector, 0, this)
    private val reader = Waiter<Boolean>(loop)
    private val writer = Waiter<Unit>(loop)

    /**
     * Suspends until [input] holds at least one more byte; false when the peer has ended its side.
     *
     * @throws BuffersExhausted if there is no memory for more; nothing is read or lost then.
     * @throws IOException if the connection is broken, or closed meanwhile.
     */
    suspend fun fill(): Boolean {
        if (!key.isValid) throw ClosedChannelException()
        if (!input.hasRemaining()) releaseInput()
        if (key.interestOps() and OP_READ == 0) key.interestOpsOr(OP_READ)
        return reader.await()
    }

    /** Drops the first [length] bytes of [input]. */
    fun consume(length: Int) {
        input.position(input.position() + length)
    }

    /**
     * Takes the first [length] bytes out of [input]: the caller owns the buffer and gives it to [BufferPool.release].
     *
     * Hands the input's own buffer over if nothing else is in it and it is not far too large, and copies otherwise.
     */
    fun take(length: Int): ByteBuffer {
        if (length == input.remaining() && length > SMALL_BYTES && length >= input.capacity() / MOST_WASTE) {
            return input.also { forgetInput() }
        }
        val copy = loop.buffers.acquire(length)
        copy.put(input.slice(input.position(), length)).flip()
        consume(length)
        return copy
    }

    /** Writes all remaining bytes of [buffer]; suspends only while the socket's buffer is full. */
    suspend fun write(buffer: ByteBuffer) {
        channel.write(buffer)
        while (buffer.hasRemaining()) {
            awaitWritable()
            channel.write(buffer)
        }
    }

    /** Writes all remaining bytes of all [buffers] in order, in one system call where possible. */
    suspend fun write(buffers: Array<ByteBuffer>) {
        while (!tryWrite(buffers)) awaitWritable()
    }

    /** Writes what the socket's buffer takes of [buffers] now; true if that is all. */
    fun tryWrite(buffers: Array<ByteBuffer>): Boolean {
        // One buffer is the usual case, and the plain system call is the cheaper one.
        if (buffers.size == 1) channel.write(buffers[0]) else channel.write(buffers)
        return buffers.none { it.hasRemaining() }
    }

    /** Suspends until the socket's buffer has room again, after [tryWrite] has met a full one. */
    suspend fun awaitWritable() = awaitWritable(OP_WRITE)

    /** Ends this side: the peer reads end of stream after what was written. Reading goes on. */
    fun shutdownOutput() {
        channel.shutdownOutput()
    }

    /** Closes both sides and fails whoever waits with [ClosedChannelException]. Idempotent and thread-safe. */
    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        if (!channel.isOpen) return
        channel.close()
        releaseInput()
        reader.fail(ClosedChannelException())
        writer.fail(ClosedChannelException())
    }

    override fun onSelected() {
        if (!key.isValid) return
        val ready = key.readyOps()
        // Interest stays on between reads, which saves a system call each; it goes off when nobody is reading.
        if (ready and OP_READ != 0) if (reader.isWaiting) read() else key.interestOpsAnd(OP_READ.inv())
        if (ready and (OP_WRITE or OP_CONNECT) != 0 && key.isValid) {
            key.interestOpsAnd((OP_WRITE or OP_CONNECT).inv())
            lastRoomNanos = loop.clock.nanos()
            writer.resume(Unit)
        }
    }

    /** Reads for the coroutine that waits in [fill]. */
    private fun read() {
        val count = try {
            val before = makeRoom()
            try {
                channel.read(input)
            } finally {
                input.limit(input.position()).position(before)
            }
        } catch (broken: IOException) {
            return reader.fail(broken)
        }
        lastReadNanos = loop.clock.nanos()
        reader.resume(count >= 0)
    }

    private suspend fun awaitWritable(operation: Int) {
        if (!key.isValid) throw ClosedChannelException()
        key.interestOpsOr(operation)
        writer.await()
    }

    /** Prepares [input] to be read into, behind its bytes; returns where these begin. */
    private fun makeRoom(): Int {
        val unread = input.remaining()
        if (input.capacity() == 0) {
            input = loop.buffers.acquire(readBytes)
        } else if (unread == input.capacity()) {
            grow()
            return 0
        } else if (input.limit() == input.capacity()) {
            input.compact()
            return 0
        } else {
            val start = input.position()
            input.position(input.limit()).limit(input.capacity())
            return start
        }
        return 0
    }

    /** A buffer beyond the usual size counts against the loop's limit. */
    private fun grow() {
        if (input.capacity() >= MAX_BYTES || !loop.buffers.limit.tryReserve(2 * input.capacity())) {
            throw BuffersExhausted()
        }
        val larger = loop.buffers.acquire(2 * input.capacity()).put(input)
        releaseInput()
        input = larger
    }

    private fun releaseInput() {
        loop.buffers.release(input)
        forgetInput()
    }

    private fun forgetInput() {
        if (input.capacity() > readBytes) loop.buffers.limit.free(input.capacity())
        input = BufferPool.EMPTY
    }

    companion object {
        private const val READ_BYTES = 16 * 1024
        private const val SMALL_BYTES = 1024
        private const val MOST_WASTE = 4
        private const val MAX_BYTES = 1 shl 29

        /** Registers an accepted [channel]; on the loop's thread. */
        internal fun accepted(loop: EventLoop, channel: SocketChannel): Connection = of(loop, channel, READ_BYTES)

        /**
         * Connects to [address]; call on the loop's thread. Cancelled or failed, it leaves no socket behind.
         *
         * @param readBytes how much one read takes at most while no message is larger.
         * @throws IOException if the peer refuses, or does not answer within [timeout].
         */
        suspend fun open(
            loop: EventLoop,
            address: InetSocketAddress,
            timeout: Duration,
            readBytes: Int = READ_BYTES,
        ): Connection {
            val channel = SocketChannel.open()
            val connection = of(loop, channel, readBytes)
            var connected = false
            try {
                connected = channel.connect(address)
                if (!connected) {
                    connected = withTimeoutOrNull(timeout) { connection.finishConnect() }
                        ?: throw SocketTimeoutException("no answer from $address within $timeout")
                }
                return connection
            } finally {
                if (!connected) connection.close()
            }
        }

        private fun of(loop: EventLoop, channel: SocketChannel, readBytes: Int): Connection {
            channel.configureBlocking(false)
            channel.setOption(TCP_NODELAY, true)
            return Connection(loop, channel, readBytes)
        }
    }

    private suspend fun finishConnect(): Boolean {
        awaitWritable(OP_CONNECT)
        return channel.finishConnect()
    }
}
