package mwlab.loadgen.measure

import org.HdrHistogram.Histogram
import java.nio.ByteBuffer

/**
 * Response times from 10 us to 600 s, in bins of a microsecond that widen with the time, to at most 0.8 % of it. Each
 * lies in one bin of memtier's histogram, which begins with bins of 8 us. It can be packed: a run of hours keeps one
 * for each second, and the counts of a second take some hundred bytes instead of twenty thousand. Not thread-safe.
 */
internal class TimeHistogram {
    private var live: Histogram? = null
    private var packed: ByteArray? = null

    val isEmpty: Boolean get() = live == null && packed == null

    /** Adds one response time in microseconds; times outside of the range count at its ends. */
    fun record(timeUs: Long) = unpacked().recordValue(timeUs.coerceIn(LOWEST_US, HIGHEST_US))

    operator fun plusAssign(other: TimeHistogram) {
        if (!other.isEmpty) unpacked().add(other.read())
    }

    /** Makes this small; recording again unpacks it. */
    fun pack() {
        val histogram = live ?: return
        val buffer = ByteBuffer.allocate(histogram.neededByteBufferCapacity)
        val length = histogram.encodeIntoByteBuffer(buffer)
        packed = buffer.array().copyOf(length)
        live = null
    }

    /** The counts in memtier's bins (two significant digits), in microseconds. */
    fun toHistogram(): Histogram = Histogram(LOWEST_US, HIGHEST_US, SIGNIFICANT_DIGITS).also {
        if (!isEmpty) it.add(read())
    }

    /** Those that hold any, rising. */
    fun bins(): List<Bin> =
        if (isEmpty) emptyList() else read().recordedValues().map { Bin(it.valueIteratedTo, it.countAtValueIteratedTo) }

    /** @property edgeUs largest time that it would hold */
    data class Bin(val edgeUs: Long, val count: Long)

    private fun read(): Histogram = live ?: packed?.let(::decode) ?: newHistogram()

    private fun unpacked(): Histogram = live ?: read().also {
        live = it
        packed = null
    }

    private fun decode(bytes: ByteArray): Histogram = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), HIGHEST_US)

    private companion object {
        const val LOWEST_US = 10L
        const val HIGHEST_US = 600_000_000L
        const val SIGNIFICANT_DIGITS = 2

        fun newHistogram() = Histogram(1, HIGHEST_US, SIGNIFICANT_DIGITS)
    }
}
