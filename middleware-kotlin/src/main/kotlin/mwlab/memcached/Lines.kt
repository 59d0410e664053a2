package mwlab.memcached

import java.nio.ByteBuffer

internal const val LF = '\n'.code.toByte()
internal const val CR = '\r'.code.toByte()
internal const val SPACE = ' '.code.toByte()
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

/** FNV-1a of 32 bits of what stands in [buffer] between two absolute indices. */
internal fun hashOf(buffer: ByteBuffer, start: Int, end: Int): Int {
    var hash = FNV_OFFSET
    for (index in start until end) hash = (hash xor (buffer.get(index).toInt() and 0xff)) * FNV_PRIME
    return hash
}

private const val FNV_OFFSET = -2128831035
private const val FNV_PRIME = 16777619

/** The ASCII text of [buffer] between two absolute indices; bytes above 127 become Latin-1 characters. */
internal fun text(buffer: ByteBuffer, start: Int, end: Int): String {
    val bytes = ByteArray(end - start)
    buffer.get(start, bytes)
    return String(bytes, Charsets.ISO_8859_1)
}

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
