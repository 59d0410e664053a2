package mwlab.prove.fuzz.connections

import java.io.IOException
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.SelectionKey
import java.nio.channels.Selector
import java.nio.channels.SocketChannel

/** A client of the middleware that sends what it is given and keeps what comes back. */
internal class Visitor(address: InetSocketAddress, selector: Selector) :
    Part,
    AutoCloseable {
    private val channel = SocketChannel.open(address).apply {
        configureBlocking(false)
        register(selector, SelectionKey.OP_READ, this@Visitor)
    }
    private var input = ByteBuffer.allocate(1024)

    /** Whether the middleware has closed the connection, in order or not. */
    var isClosed = false
        private set

    /** Whether it was closed with bytes unread, which may take what was sent with them. */
    var isReset = false
        private set

    val received: ByteArray get() = input.array().copyOf(input.position())

    fun send(bytes: ByteArray) = guarded {
        val buffer = ByteBuffer.wrap(bytes)
        // A few hundred bytes always find room.
        check(channel.write(buffer) == bytes.size) { "the middleware takes no bytes" }
    }

    fun end() = guarded { channel.shutdownOutput() }

    fun forget() {
        input.clear()
    }

    override fun move() = guarded {
        while (true) {
            if (!input.hasRemaining()) input = ByteBuffer.allocate(2 * input.capacity()).put(input.flip())
            val count = channel.read(input)
            if (count < 0) close()
            if (count <= 0) break
        }
    }

    override fun close() {
        isClosed = true
        channel.close()
    }

    private fun guarded(block: () -> Unit) {
        if (isClosed) return
        try {
            block()
        } catch (_: IOException) {
            isReset = true
            close()
        }
    }
}
