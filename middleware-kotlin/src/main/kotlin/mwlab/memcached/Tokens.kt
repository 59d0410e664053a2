package mwlab.memcached

import java.nio.ByteBuffer

/** The tokens of one line, separated by spaces, as absolute indices into the buffer; reused from line to line. */
internal class Tokens {
    private var bounds = IntArray(INITIAL_TOKENS * 2)

    var count = 0
        private set

    val capacity: Int get() = bounds.size / 2

    fun start(token: Int): Int = bounds[2 * token]

    fun end(token: Int): Int = bounds[2 * token + 1]

    fun length(token: Int): Int = end(token) - start(token)

    /** Splits what lies between [start] and [end], or its first [most] tokens; as memcached with its C strings, up to a zero byte. */
    fun split(buffer: ByteBuffer, start: Int, end: Int, most: Int = Int.MAX_VALUE) {
        if (capacity > MOST_KEPT_TOKENS) bounds = IntArray(INITIAL_TOKENS * 2)
        count = 0
        var tokenStart = start
        var index = start
        while (index < end && count < most) {
            val byte = buffer.get(index)
            if (byte == NUL) break
            if (byte == SPACE) {
                if (index > tokenStart) add(tokenStart, index)
                tokenStart = index + 1
            }
            index++
        }
        if (index > tokenStart) add(tokenStart, index)
    }

    /** Where the tokens from [from] until [until] stand: beginning and end of each, counted from [origin]. */
    fun bounds(from: Int, until: Int, origin: Int) = IntArray(2 * (until - from)) { bounds[2 * from + it] - origin }

    /** Whether [token] is exactly [text]. */
    fun matches(buffer: ByteBuffer, token: Int, text: String): Boolean =
        length(token) == text.length && startsWith(buffer, start(token), end(token), text)

    fun isDigits(buffer: ByteBuffer, token: Int): Boolean {
        for (index in start(token) until end(token)) if (buffer.get(index) !in DIGITS) return false
        return length(token) > 0
    }

    /** The decimal number of [token], at most 18 digits without a sign, or [NOT_A_NUMBER]. */
    fun number(buffer: ByteBuffer, token: Int): Long {
        if (length(token) > MAX_LONG_DIGITS || !isDigits(buffer, token)) return NOT_A_NUMBER
        var value = 0L
        for (index in start(token) until end(token)) value = value * 10 + (buffer.get(index) - DIGITS.first)
        return value
    }

    /** Whether C's strtol reads [token] as a number of 64 bits. */
    fun isInteger(buffer: ByteBuffer, token: Int): Boolean =
        number(buffer, token) != NOT_A_NUMBER || word(buffer, token).toLongOrNull() != null

    /** The number of [token] as C's strtol reads it, cut to 32 bits as memcached does, or [NOT_A_NUMBER]. */
    fun int32(buffer: ByteBuffer, token: Int): Long {
        val value = number(buffer, token)
        if (value != NOT_A_NUMBER) return value.toInt().toLong()
        return word(buffer, token).toLongOrNull()?.toInt()?.toLong() ?: NOT_A_NUMBER
    }

    /**
     * Whether memcached reads [token] as an unsigned number of 64 bits. Of negative ones, which C's strtoull wraps around, it
     * refuses only those of which the wrapped number would be negative with a sign.
     */
    fun isUnsigned(buffer: ByteBuffer, token: Int): Boolean {
        if (number(buffer, token) != NOT_A_NUMBER) return true
        val word = word(buffer, token)
        val isNegative = word.startsWith("-")
        val digits = word.removePrefix(if (isNegative) "-" else "+")
        if (digits.isEmpty() || digits.any { it !in '0'..'9' }) return false
        val value = digits.toULongOrNull() ?: return false
        return !isNegative || -value.toLong() >= 0
    }

    /** What C reads a number from: up to the next of its spaces. */
    private fun word(buffer: ByteBuffer, token: Int): String =
        text(buffer, start(token), end(token)).trimStart { it in C_SPACES }.takeWhile { it !in C_SPACES }

    private fun add(start: Int, end: Int) {
        if (2 * count == bounds.size) bounds = bounds.copyOf(2 * bounds.size)
        bounds[2 * count] = start
        bounds[2 * count + 1] = end
        count++
    }

    companion object {
        const val NOT_A_NUMBER = Long.MIN_VALUE

        private const val INITIAL_TOKENS = 16
        private const val MOST_KEPT_TOKENS = 1024
        private const val MAX_LONG_DIGITS = 18
        private const val NUL = 0.toByte()
        private val DIGITS = '0'.code.toByte()..'9'.code.toByte()
        private val C_SPACES = charArrayOf(' ', '\t', '\n', '\u000b', '\u000c', '\r')
    }
}
