package mwlab.loadgen

import java.io.BufferedReader
import java.io.IOException
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/**
 * A server on a free port of the loopback interface that may misbehave: [reply] gets each command line and returns what
 * to send, nothing if empty; null closes the connection. Threads and blocking sockets, for tests.
 */
internal class ScriptedServer(private val reply: (String) -> String?) : AutoCloseable {
    private val listener = ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())
    private val sockets = ConcurrentLinkedQueue<Socket>()
    private val connectionCount = AtomicInteger()

    val port: Int = listener.localPort
    val commands = ConcurrentLinkedQueue<String>()
    val connections: Int get() = connectionCount.get()

    init {
        thread(isDaemon = true) {
            ignoringClosed {
                while (true) listener.accept().let { socket -> thread(isDaemon = true) { serve(socket) } }
            }
        }
    }

    override fun close() {
        listener.close()
        sockets.forEach { it.close() }
    }

    private fun serve(socket: Socket) = ignoringClosed {
        connectionCount.incrementAndGet()
        sockets += socket
        socket.use {
            val input = socket.getInputStream().bufferedReader(Charsets.ISO_8859_1)
            do {
                val goOn = answer(socket, input)
            } while (goOn)
        }
    }

    private fun answer(socket: Socket, input: BufferedReader): Boolean {
        val command = input.readLine() ?: return false
        if (command.startsWith("set ")) input.readLine()
        commands += command
        val text = reply(command) ?: return false
        socket.getOutputStream().write(text.toByteArray(Charsets.ISO_8859_1))
        return true
    }

    private fun ignoringClosed(body: () -> Unit) = try {
        body()
    } catch (_: IOException) {
        // the client or the test has closed its socket
    }

    companion object {
        private const val BACKLOG = 50

        /** What a server that holds every key replies. */
        fun allHits(command: String): String = if (command.startsWith("set ")) {
            "STORED\r\n"
        } else {
            command.split(' ').drop(1).joinToString("", postfix = "END\r\n") { "VALUE $it 0 3\r\nabc\r\n" }
        }
    }
}
