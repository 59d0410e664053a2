package mwlab.net.loop

import jdk.net.ExtendedSocketOptions.TCP_KEEPCOUNT
import jdk.net.ExtendedSocketOptions.TCP_KEEPIDLE
import jdk.net.ExtendedSocketOptions.TCP_KEEPINTERVAL
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Selectable
import mwlab.net.Transport.Companion.READ_BYTES
import mwlab.net.Waiter
import mwlab.net.buffer.Input
import mwlab.net.text
import java.io.IOException
import java.net.SocketAddress
import java.net.SocketTimeoutException
import java.net.StandardSocketOptions.SO_KEEPALIVE
import java.net.StandardSocketOptions.TCP_NODELAY
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import java.nio.channels.SelectionKey
import java.nio.channels.SelectionKey.OP_CONNECT
import java.nio.channels.SelectionKey.OP_READ
import java.nio.channels.SelectionKey.OP_WRITE
import java.nio.channels.SocketChannel
import kotlin.time.Duration

/** A connection whose socket the loop reads and writes by itself, as soon as somebody waits for it. */
internal class LoopConnection(
    override val loop: EventLoop,
    private val channel: SocketChannel,
    readBytes: Int = READ_BYTES,
) : Selectable,
    Connection {
    init {
        channel.configureBlocking(false)
        if (TCP_NODELAY in channel.supportedOptions()) setOptionsOfTcp(channel)
    }

    override val localAddress get() = channel.localAddress
    override val remoteAddress get() = channel.remoteAddress
    override val input: ByteBuffer get() = received.bytes

    override var lastReadNanos = 0L
        private set

    override var lastRoomNanos = 0L
        private set

    private val received = Input(loop.buffers, readBytes)
    private val key: SelectionKey = channel.register(loop.selector, 0, this)
    private val reader = Waiter<Boolean>(loop)
    private val writer = Waiter<Unit>(loop)

    /** @throws IOException if the peer at [address] refuses, or does not answer within [timeout]. */
    suspend fun connect(address: SocketAddress, timeout: Duration) {
        if (channel.connect(address)) return
        withTimeoutOrNull(timeout) {
            awaitWritable(OP_CONNECT)
            channel.finishConnect()
        } ?: throw SocketTimeoutException("no answer from ${address.text} within $timeout")
    }

    override suspend fun fill(): Boolean {
        if (!key.isValid) throw ClosedChannelException()
        received.shrink()
        if (key.interestOps() and OP_READ == 0) key.interestOpsOr(OP_READ)
        return reader.await()
    }

    override fun consume(length: Int) = received.consume(length)

    override fun keep(length: Int) = received.keep(length)

    override fun take(length: Int): ByteBuffer = received.take(length)

    /** In one system call. */
    override fun tryWrite(buffers: Array<ByteBuffer>): Boolean {
        // One buffer is the usual case, and the plain system call is the cheaper one.
        if (buffers.size == 1) channel.write(buffers[0]) else channel.write(buffers)
        return buffers.none { it.hasRemaining() }
    }

    override suspend fun awaitWritable() = awaitWritable(OP_WRITE)

    override fun endOutput() {
        try {
            channel.shutdownOutput()
        } catch (_: IOException) {
            return // The connection is gone; who reads finds out.
        }
    }

    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        if (!channel.isOpen) return
        channel.close()
        received.release()
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
            received.append(channel::read)
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

    private companion object {
        const val KEEPALIVE_S = 60
        const val KEEPALIVE_PROBES = 6

        fun setOptionsOfTcp(channel: SocketChannel) {
            channel.setOption(TCP_NODELAY, true)
            // A peer whose machine is gone says nothing: the kernel finds out within two minutes.
            channel.setOption(SO_KEEPALIVE, true)
            channel.setOption(TCP_KEEPIDLE, KEEPALIVE_S)
            channel.setOption(TCP_KEEPINTERVAL, KEEPALIVE_S / KEEPALIVE_PROBES)
            channel.setOption(TCP_KEEPCOUNT, KEEPALIVE_PROBES)
        }
    }
}
