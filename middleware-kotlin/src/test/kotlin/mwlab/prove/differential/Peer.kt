package mwlab.prove.differential

import java.io.IOException
import java.net.InetSocketAddress
import java.net.StandardSocketOptions
import java.nio.ByteBuffer
import java.nio.channels.SelectionKey
import java.nio.channels.Selector
import java.nio.channels.SocketChannel

/** One of the two systems that are sent the same bytes: what it is still to be sent, and what it has answered. */
internal class Peer(address: InetSocketAddress, selector: Selector) : AutoCloseable {
    private val channel = SocketChannel.open(address).apply {
        setOption(StandardSocketOptions.TCP_NODELAY, true)
        configureBlocking(false)
    }
    private val key = channel.register(selector, SelectionKey.OP_READ)
    private var unsent = ByteBuffer.allocate(0)
    private var cuts = intArrayOf()
    private var nextCut = 0
    private var answer = ByteArray(1 shl 16)
    private var length = 0
    private var end = ByteArray(0)

    /** Whether it has closed the connection. */
    var isClosed = false
        private set

    /** Whether the answer ends as expected, or with the connection. */
    val isDone: Boolean get() = isClosed || (end.isNotEmpty() && endsAsExpected())

    /** Begins to send [bytes] in pieces that end at [cuts]; [end] ends the answer, or the connection does if it is empty. */
    fun begin(bytes: ByteArray, cuts: IntArray, end: ByteArray) {
        unsent = ByteBuffer.wrap(bytes).limit(0)
        this.cuts = cuts
        this.end = end
        nextCut = 0
        length = 0
        key.interestOps(SelectionKey.OP_READ or SelectionKey.OP_WRITE)
    }

    /** Writes one piece and reads what is there, as far as the socket is ready. */
    fun move() {
        if (isClosed) return
        try {
            if (key.isReadable) read()
            if (!isClosed && key.isWritable) write()
        } catch (_: IOException) {
            // What closes with bytes unread resets the connection.
            close()
        }
    }

    fun answer(): ByteArray = answer.copyOf(length)

    override fun close() {
        isClosed = true
        channel.close()
    }

    private fun write() {
        if (!unsent.hasRemaining() && nextCut < cuts.size) unsent.limit(cuts[nextCut++])
        channel.write(unsent)
        if (!unsent.hasRemaining() && nextCut == cuts.size) key.interestOps(SelectionKey.OP_READ)
    }

    private fun read() {
        while (true) {
            if (length == answer.size) answer = answer.copyOf(2 * length)
            val count = channel.read(ByteBuffer.wrap(answer, length, answer.size - length))
            if (count < 0) return close()
            if (count == 0) return
            length += count
        }
    }

    private fun endsAsExpected(): Boolean {
        val from = length - end.size
        return from >= 0 && end.indices.all { answer[from + it] == end[it] }
    }
}
