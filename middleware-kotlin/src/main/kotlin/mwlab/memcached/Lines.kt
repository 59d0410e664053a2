package mwlab.memcached

import java.nio.ByteBuffer

internal const val LF = '\n'.code.toByte()
internal const val CR = '\r'.code.toByte()
internal const val SPACE = ' '.code.toByte()

/** Bytes of "\r\n". */
internal const val CRLF_BYTES = 2

/** Absolute index of the first line feed of [buffer] in [from] until its limit, or -1. */
internal fun indexOfLineFeed(buffer: ByteBuffer, from: Int): Int {
    for (index in from until buffer.limit()) if (buffer.get(index) == LF) return index
    return -1
}

/** Whether the bytes of [buffer] from absolute index [at] on begin with [text]. */
internal fun startsWith(buffer: ByteBuffer, at: Int, end: Int, text: String): Boolean {
    if (end - at < text.length) return false
    for (offset in text.indices) if (buffer.get(at + offset) != text[offset].code.toByte()) return false
    return true
}

/** The ASCII text of [buffer] between two absolute indices; bytes above 127 become Latin-1 characters. */
internal fun text(buffer: ByteBuffer, start: Int, end: Int): String {
    val bytes = ByteArray(end - start)
    buffer.get(start, bytes)
    return String(bytes, Charsets.ISO_8859_1)
}

/**
 * The tokens of one line, separated by spaces, as absolute indices into the buffer; reused from line to line.
 */
internal class Tokens {
    private var bounds = IntArray(INITIAL_TOKENS * 2)

    var count = 0
        private set

    fun start(token: Int): Int = bounds[2 * token]

    fun end(token: Int): Int = bounds[2 * token + 1]

    fun length(token: Int): Int = end(token) - start(token)

    /** Splits what lies between [start] and [end]. */
    fun split(buffer: ByteBuffer, start: Int, end: Int) {
        count = 0
        var tokenStart = start
        for (index in start until end) {
            if (buffer.get(index) == SPACE) {
                if (index > tokenStart) add(tokenStart, index)
                tokenStart = index + 1
            }
        }
        if (end > tokenStart) add(tokenStart, end)
    }

    /** Whether [token] is exactly [text]. */
    fun matches(buffer: ByteBuffer, token: Int, text: String): Boolean =
        length(token) == text.length && startsWith(buffer, start(token), end(token), text)

    /** The decimal number of [token] without sign, or -1 if it is none or needs more than [MAX_DIGITS] digits. */
    fun number(buffer: ByteBuffer, token: Int): Long {
        if (length(token) !in 1..MAX_DIGITS) return -1
        var value = 0L
        for (index in start(token) until end(token)) {
            val digit = buffer.get(index) - '0'.code
            if (digit !in 0..9) return -1
            value = value * 10 + digit
        }
        return value
    }

    /** Whether [token] consists of digits only; decr pads the numbers it answers with spaces, which are no part of it. */
    fun isNumber(buffer: ByteBuffer, token: Int): Boolean =
        (start(token) until end(token)).all { buffer.get(it) in DIGITS }

    private fun add(start: Int, end: Int) {
        if (2 * count == bounds.size) bounds = bounds.copyOf(2 * bounds.size)
        bounds[2 * count] = start
        bounds[2 * count + 1] = end
        count++
    }

    private companion object {
        const val INITIAL_TOKENS = 16
        const val MAX_DIGITS = 18
        val DIGITS = '0'.code.toByte()..'9'.code.toByte()
    }
}
