package mwlab.testing

import java.io.DataInputStream
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.LinkedBlockingQueue
import kotlin.concurrent.thread

/**
 * A server that answers the first set `SERVER_ERROR out of memory storing object` when it has seen its first bytes, as memcached may,
 * and all others `STORED` when they are there.
 *
 * @param readsOn whether it then reads the rest of the first one, slowly, or never anything again on that connection.
 */
class HastyServer(private val readsOn: Boolean) : AutoCloseable {
    private val socket = ServerSocket().apply {
        receiveBufferSize = 4096
        bind(InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
    }

    @Volatile
    private var isFirst = true

    /** Whether the first set was answered. */
    @Volatile
    var hasAnswered = false
        private set

    val address = InetSocketAddress(InetAddress.getLoopbackAddress(), socket.localPort)

    /** The data of all sets it has read to their end. */
    val values = LinkedBlockingQueue<String>()

    init {
        thread(isDaemon = true) {
            try {
                while (true) socket.accept().let { thread(isDaemon = true) { it.use(::serve) } }
            } catch (_: IOException) {
                // Closed: the end.
            }
        }
    }

    override fun close() = socket.close()

    private fun serve(client: Socket) = try {
        val input = DataInputStream(client.getInputStream())
        input.readFully(ByteArray("version\r\n".length))
        client.getOutputStream().write("VERSION hasty\r\n".toByteArray())
        while (true) if (isFirst) serveHastily(client, input) else serveDuly(client, input)
    } catch (_: IOException) {
        // The peer is gone.
    }

    private fun serveHastily(client: Socket, input: DataInputStream) {
        isFirst = false
        val data = ByteArray(dataBytes(input))
        client.getOutputStream().write("SERVER_ERROR out of memory storing object\r\n".toByteArray())
        hasAnswered = true
        while (!readsOn) Thread.sleep(1000)
        for (start in data.indices step SLICE_BYTES) {
            Thread.sleep(2)
            input.readFully(data, start, minOf(SLICE_BYTES, data.size - start))
        }
        values += String(data, Charsets.ISO_8859_1)
    }

    private fun serveDuly(client: Socket, input: DataInputStream) {
        val data = ByteArray(dataBytes(input))
        input.readFully(data)
        values += String(data, Charsets.ISO_8859_1)
        client.getOutputStream().write("STORED\r\n".toByteArray())
    }

    /** Of the set whose line is read: the bytes of its data, line end included. */
    private fun dataBytes(input: DataInputStream): Int {
        @Suppress("DEPRECATION") // lines without an encoding are what is wanted
        val line = input.readLine().orEmpty()
        return (line.substringAfterLast(' ').toIntOrNull() ?: throw IOException("no set: $line")) + 2
    }

    private companion object {
        const val SLICE_BYTES = 128 * 1024
    }
}
