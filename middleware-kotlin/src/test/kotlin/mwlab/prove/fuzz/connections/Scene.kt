package mwlab.prove.fuzz.connections

import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import java.nio.ByteBuffer

/**
 * What a fuzzer has made up for both sides of the middleware: a byte that tells the dispatch, then what a client sends, then, each
 * behind a byte of ones, the server's answers to what it is asked.
 *
 * An empty answer is the right one, `!` closes the connection; once they are used up, all answers are right.
 */
internal class Scene(data: ByteArray) {
    val isPipelined = data.isNotEmpty() && data[0].toInt() and 1 == 1

    /** What the client sends. */
    val stream: ByteArray

    /** What the server answers, one after the other. */
    val answers: List<ByteArray>

    init {
        val parts = mutableListOf<ByteArray>()
        var begin = minOf(1, data.size)
        for (index in begin..data.size) {
            if (index < data.size && data[index] != SEPARATOR) continue
            parts += data.copyOfRange(begin, index)
            begin = index + 1
        }
        stream = parts.firstOrNull() ?: ByteArray(0)
        answers = parts.drop(1)
    }

    private companion object {
        const val SEPARATOR = 0xff.toByte()
    }
}

/** What a server was asked for one request, and the bytes that it has answered, right or wrong. */
internal class Asked(val words: List<String>, val answer: ByteArray)

/** The reply that [bytes] begin with; null if they begin with none, or with half of one. */
internal fun firstReply(bytes: ByteArray): Response? = try {
    ResponseReader().next(ByteBuffer.wrap(bytes))
} catch (_: ProtocolException) {
    null
}

/** The first two words of the line at [start]: command and key. */
internal fun wordsOf(bytes: ByteArray, start: Int): List<String> {
    var end = start
    while (end < bytes.size && bytes[end] != '\n'.code.toByte()) end++
    val line = String(bytes, start, end - start, Charsets.ISO_8859_1).removeSuffix("\r")
    return line.substringBefore('\u0000').split(' ').filter(String::isNotEmpty).take(2)
}
