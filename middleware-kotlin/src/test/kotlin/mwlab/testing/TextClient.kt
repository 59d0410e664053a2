package mwlab.testing

import java.net.InetSocketAddress
import java.net.Socket

/**
 * A blocking client that sends and reads plain text. A read that takes longer than [timeoutMs] fails, which only ends a test that hangs.
 *
 * @param receiveBytes size of the socket's buffer; null: what the system thinks best
 */
class TextClient(address: InetSocketAddress, timeoutMs: Int = 300_000, receiveBytes: Int? = null) : AutoCloseable {
    private val socket = Socket().apply {
        receiveBytes?.let { receiveBufferSize = it }
        connect(address)
        soTimeout = timeoutMs
        tcpNoDelay = true
    }
    private val input = socket.getInputStream().buffered()

    fun send(text: String) = socket.getOutputStream().write(text.toByteArray(Charsets.ISO_8859_1))

    /** Reads exactly [length] bytes. */
    fun read(length: Int): String = String(input.readNBytes(length), Charsets.ISO_8859_1)

    /** Reads one line, without its end; null at the end of the stream. */
    fun readLine(): String? {
        val line = StringBuilder()
        while (true) {
            val byte = input.read()
            if (byte < 0) return null
            if (byte == '\n'.code) return line.toString().removeSuffix("\r")
            line.append(byte.toChar())
        }
    }

    /** Reads up to and including the line [last], or a server's error instead of it. */
    fun readUntil(last: String): List<String> =
        generateSequence { readLine() }.takeWhileInclusive { it != last && !it.startsWith("SERVER_ERROR") }.toList()

    /** Sends one command line and returns the line that answers it. */
    fun ask(line: String): String? {
        send("$line\r\n")
        return readLine()
    }

    fun set(key: String, value: String): String? = ask("set $key 0 0 ${value.length}\r\n$value")

    /** The lines that answer a get, without the closing END; an error is one of them. */
    fun get(vararg keys: String): List<String> {
        send("get ${keys.joinToString(" ")}\r\n")
        return readUntil("END") - "END"
    }

    /** Whether something can be read without waiting. */
    val hasInput: Boolean get() = input.available() > 0

    fun shutdownOutput() = socket.shutdownOutput()

    override fun close() = socket.close()

    private fun <T> Sequence<T>.takeWhileInclusive(predicate: (T) -> Boolean): Sequence<T> = sequence {
        for (item in this@takeWhileInclusive) {
            yield(item)
            if (!predicate(item)) break
        }
    }
}
