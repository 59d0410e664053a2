package mwlab.testing

import java.io.IOException
import java.io.InputStream
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.concurrent.thread

/**
 * A memcached of blocking sockets that knows get, set, delete and version, and remembers what it was asked.
 *
 * Written without the code under test. The `version` that begins a connection is forgotten, and answered unless nothing is. [answer] may replace any reply: null closes the connection, "" says nothing.
 */
class FakeMemcached(port: Int = 0) : AutoCloseable {
    private val socket = ServerSocket().apply {
        reuseAddress = true
        bind(InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG)
    }
    private val connections = CopyOnWriteArrayList<Socket>()

    val address = InetSocketAddress(InetAddress.getLoopbackAddress(), socket.localPort)
    val values = ConcurrentHashMap<String, String>()

    /** The command lines, in the order of their arrival. */
    val lines = ConcurrentLinkedQueue<String>()

    @Volatile
    var answer: (line: String, reply: String) -> String? = { _, reply -> reply }

    /** Replies go out in slices of 32 KiB; this runs before each but the first. */
    @Volatile
    var beforeSlice: () -> Unit = {}

    init {
        thread(isDaemon = true) {
            try {
                while (true) accept(socket.accept())
            } catch (_: IOException) {
                // Closed: the end.
            }
        }
    }

    /** Closes all connections, as a dying server does; new ones are accepted. */
    fun dropConnections() = connections.forEach { it.close() }

    override fun close() {
        socket.close()
        dropConnections()
    }

    private fun accept(client: Socket) {
        connections += client
        // Accepted while the server was being closed: too late for dropConnections.
        if (socket.isClosed) client.close()
        thread(isDaemon = true) {
            try {
                client.use { serve(it) }
            } catch (_: IOException) {
                // The peer is gone.
            }
        }
    }

    private fun serve(client: Socket) {
        val input = client.getInputStream().buffered()
        var isFirst = true
        while (true) {
            val line = input.readLine() ?: return
            if (isFirst && line == "version") {
                if (answer(line, "VERSION fake\r\n") != "") write(client, "VERSION fake\r\n")
            } else {
                lines += line
                val reply = answer(line, perform(line.split(' ').filter(String::isNotEmpty), input)) ?: return
                write(client, reply)
            }
            isFirst = false
        }
    }

    private fun write(client: Socket, reply: String) = reply.chunked(SLICE_BYTES).forEachIndexed { index, slice ->
        if (index > 0) beforeSlice()
        client.getOutputStream().write(slice.toByteArray(Charsets.ISO_8859_1))
    }

    private fun perform(words: List<String>, input: InputStream): String = when (words[0]) {
        "get" -> words.drop(1).joinToString("") { key ->
            values[key]?.let { "VALUE $key 0 ${it.length}\r\n$it\r\n" }.orEmpty()
        } +
            "END\r\n"

        "set" -> {
            values[words[1]] = String(input.readNBytes(words[4].toInt()), Charsets.ISO_8859_1)
            input.readNBytes(2)
            "STORED\r\n"
        }

        "delete" -> if (values.remove(words[1]) != null) "DELETED\r\n" else "NOT_FOUND\r\n"

        "version" -> "VERSION fake\r\n"

        else -> "ERROR\r\n"
    }

    private fun InputStream.readLine(): String? {
        val line = StringBuilder()
        while (true) {
            val byte = read()
            if (byte < 0) return null
            if (byte == '\n'.code) return line.toString().removeSuffix("\r")
            line.append(byte.toChar())
        }
    }

    private companion object {
        const val SLICE_BYTES = 32 * 1024

        /** More than any test opens at a time: what finds no room is tried again only after a second. */
        const val BACKLOG = 1024
    }
}
