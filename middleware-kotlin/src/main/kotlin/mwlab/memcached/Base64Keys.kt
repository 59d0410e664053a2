package mwlab.memcached

import java.nio.ByteBuffer

/**
 * Whether the base64 between two absolute indices of [buffer] stands for a line feed among others; read as memcached reads it, which
 * skips what is no base64 and stops behind the first padding.
 */
internal fun base64HoldsLineFeed(buffer: ByteBuffer, start: Int, end: Int): Boolean {
    var group = 0
    var digits = 0
    var isPadded = false
    for (index in start until end) {
        val byte = buffer.get(index)
        val digit = if (byte == PADDING) 0 else DIGITS.indexOf(byte.toInt().toChar())
        if (digit < 0) continue
        isPadded = isPadded || byte == PADDING
        group = group shl DIGIT_BITS or digit
        if (++digits % GROUP_DIGITS > 0) continue
        if (GROUP_SHIFTS.any { (group shr it).toByte() == LF }) return true
        if (isPadded) return false
    }
    return false
}

private const val PADDING = '='.code.toByte()
private const val DIGIT_BITS = 6
private const val GROUP_DIGITS = 4
private val GROUP_SHIFTS = intArrayOf(16, 8, 0)
private val DIGITS = (('A'..'Z') + ('a'..'z') + ('0'..'9') + '+' + '/').joinToString("")
