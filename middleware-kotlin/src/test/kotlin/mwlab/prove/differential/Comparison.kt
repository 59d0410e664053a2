package mwlab.prove.differential

import java.util.Arrays
import kotlin.math.abs

/**
 * Where two streams of replies begin to differ, or -1 if they do not.
 *
 * The one difference allowed is that of seconds, since two servers' clocks do not tick at the same moment: what `t` and `l` of
 * a meta command and `exp` and `la` of `me` say may differ by [MOST_SECONDS], in which the slower one answers a batch. That
 * something never ends, -1, is no time.
 */
internal fun firstDifference(one: ByteArray, other: ByteArray): Int {
    var inOne = 0
    var inOther = 0
    while (true) {
        val same = Arrays.mismatch(one, inOne, one.size, other, inOther, other.size)
        if (same < 0) return -1
        val a = seconds(one, inOne + same)
        val b = seconds(other, inOther + same)
        if (a == null || b == null || a.name != b.name ||
            abs(a.value - b.value) !in 1..MOST_SECONDS
        ) {
            return inOne + same
        }
        inOne = a.end
        inOther = b.end
    }
}

private class Seconds(val name: String, val value: Long, val end: Int)

/** The word that has a digit or its end at [at], if it tells seconds and stands in a reply to a meta command. */
private fun seconds(bytes: ByteArray, at: Int): Seconds? {
    var start = at
    while (start > 0 && bytes[start - 1] !in BREAKS) start--
    var end = at
    while (end < bytes.size && bytes[end] !in BREAKS) end++
    var line = start
    while (line > 0 && bytes[line - 1] != '\n'.code.toByte()) line--
    if (text(bytes, start, end) == NEVER) return null
    val word = SECONDS.matchEntire(text(bytes, start, end)) ?: return null
    val isMeta = META_LINES.any { text(bytes, line, minOf(line + it.length, bytes.size)) == it }
    return if (isMeta) Seconds(word.groupValues[1], word.groupValues[2].toLong(), end) else null
}

private fun text(bytes: ByteArray, start: Int, end: Int) =
    String(bytes, start, minOf(end - start, MOST_SHOWN), Charsets.ISO_8859_1)

private const val MOST_SHOWN = 60
private const val MOST_SECONDS = 60L
private const val NEVER = "exp=-1"
private val BREAKS = " \r\n".map { it.code.toByte() }.toSet()
private val SECONDS = Regex("(t|l|exp=-|la=)(\\d{1,12})")
private val META_LINES = listOf("HD ", "VA ", "NF ", "NS ", "EX ", "ME ")
