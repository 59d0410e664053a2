package mwlab.prove.fuzz

import java.nio.ByteBuffer

/**
 * What a fuzzer has made up: first how the stream is cut, then the stream.
 *
 * The first byte tells the number of cuts, up to seven, and each of those that follow how far the next cut is.
 */
internal class Pieces(private val data: ByteArray) {
    private val cuts = if (data.isEmpty()) 0 else data[0].toInt() and MOST_CUTS
    private val begin = minOf(1 + cuts, data.size)

    private val stream = ByteBuffer.wrap(data)

    /** Bytes of the stream. */
    val size: Int get() = data.size - begin

    /** How much of the stream has arrived after each piece; the last one is all of it. */
    fun ends(): List<Int> {
        var end = 0
        val ends = (1 until begin).map { index -> minOf(end + (data[index].toInt() and 0xff), size).also { end = it } }
        return ends + size
    }

    /** The bytes [from] until [to] of the stream in a buffer of exactly their size: who reads beyond them, fails. */
    fun arrived(from: Int, to: Int): ByteBuffer = stream.slice(begin + from, to - from)

    private companion object {
        const val MOST_CUTS = 7
    }
}
