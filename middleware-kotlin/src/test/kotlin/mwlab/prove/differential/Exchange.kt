package mwlab.prove.differential

import java.net.InetSocketAddress
import java.nio.channels.Selector
import kotlin.random.Random

/**
 * What both systems have answered to the same bytes.
 *
 * @property shortcoming what keeps the answers from being complete; null: nothing.
 */
internal class Answers(val direct: ByteArray, val proxied: ByteArray, val shortcoming: String?) {
    val areAlike: Boolean get() = shortcoming == null && firstDifference(direct, proxied) < 0
}

/** A connection to memcached and one through the middleware, which are sent the same. Not thread-safe. */
internal class Exchange(private val direct: InetSocketAddress, private val proxied: InetSocketAddress) : AutoCloseable {
    private val selector = Selector.open()
    private var peers = connect()
    private val marks = Random.Default

    /** Sends [commands], cut where [cuts] says for a number of bytes, and awaits all answers. */
    fun ask(commands: String, cuts: (Int) -> IntArray = ::whole): Answers {
        val mark = "%016x".format(marks.nextLong())
        val bytes = latin1("${commands}ms end 0 O$mark\r\n\r\n")
        return exchange(bytes, cuts(bytes.size), latin1("HD O$mark\r\n"))
    }

    /** Sends [commands], after which both have to close the connection; connects anew. */
    fun askLast(commands: String): Answers {
        val answers = exchange(latin1(commands), whole(commands.length), ByteArray(0))
        peers.forEach(Peer::close)
        selector.selectNow()
        peers = connect()
        return answers
    }

    override fun close() {
        peers.forEach(Peer::close)
        selector.close()
    }

    private fun connect() = listOf(Peer(direct, selector), Peer(proxied, selector))

    private fun exchange(bytes: ByteArray, cuts: IntArray, end: ByteArray): Answers {
        peers.forEach { it.begin(bytes, cuts, end) }
        val deadline = System.nanoTime() + PATIENCE_NANOS
        while (peers.any { !it.isDone } && System.nanoTime() < deadline) {
            selector.select(PATIENCE_NANOS / NANOS_PER_MS)
            selector.selectedKeys().clear()
            peers.forEach(Peer::move)
        }
        val shortcomings = NAMES.zip(peers).mapNotNull { (name, peer) -> shortcoming(peer, end)?.let { "$name $it" } }
        val shortcoming = shortcomings.joinToString().ifEmpty { null }
        return Answers(peers[0].answer(), peers[1].answer(), shortcoming)
    }

    private fun shortcoming(peer: Peer, end: ByteArray): String? = when {
        !peer.isDone -> "has not answered all in time"
        peer.isClosed && end.isNotEmpty() -> "has closed the connection"
        else -> null
    }

    private fun whole(length: Int) = intArrayOf(length)

    private companion object {
        val NAMES = listOf("memcached", "the middleware")
        const val NANOS_PER_MS = 1_000_000L

        /** Nothing that is answered takes as long, on the busiest machine. */
        const val PATIENCE_NANOS = 60_000 * NANOS_PER_MS
    }
}

/** One byte for each character. */
internal fun latin1(text: String): ByteArray = text.toByteArray(Charsets.ISO_8859_1)
