package mwlab.metrics.stats

import org.HdrHistogram.Histogram

/**
 * Number, sum and distribution of one time, in HdrHistogram's bins: microseconds with three significant digits.
 *
 * Takes memory only for the parts of the range that occur. Times above [MOST_MICROS] count there in the distribution. Not thread-safe.
 */
class TimeCounts internal constructor(memory: StatsMemory) {
    private val bins = SparseCounts(BINS, memory)

    var count = 0L
        private set
    var sumNanos = 0L
        private set

    fun record(nanos: Long) {
        count++
        sumNanos += nanos
        bins.add(binOf((nanos / NANOS_PER_MICRO).coerceIn(0, MOST_MICROS)))
    }

    fun add(other: TimeCounts) {
        if (other.count == 0L) return
        count += other.count
        sumNanos += other.sumNanos
        bins.add(other.bins)
    }

    fun reset() {
        if (count == 0L) return
        count = 0
        sumNanos = 0
        bins.clear()
    }

    /**
     * How many times are below each of [limitsMicros], which ascend; to the precision of the bins.
     */
    fun cumulativeCounts(limitsMicros: LongArray): LongArray {
        val below = LongArray(limitsMicros.size)
        bins.forEach { bin, count ->
            val first = limitsMicros.indexOfFirst { lowestOf(bin) < it }
            if (first >= 0) below[first] += count
        }
        for (index in 1 until below.size) below[index] += below[index - 1]
        return below
    }

    /** Replaces the content of [histogram], which has [DIGITS], by this one. */
    fun copyTo(histogram: Histogram) {
        histogram.reset()
        bins.forEach { bin, count -> histogram.recordValueWithCount(lowestOf(bin), count) }
    }

    /** This distribution, as HdrHistogram has it. */
    fun toHistogram(): Histogram = Histogram(DIGITS).also(::copyTo)

    internal companion object {
        /** Significant digits of a time. */
        const val DIGITS = 3

        /** Largest time of its own bin: 67 s. */
        const val MOST_MICROS = (1L shl 26) - 1

        private const val NANOS_PER_MICRO = 1000L

        /** The bins up to 2 ^ 11 are one microsecond wide; then each half as many are twice as wide as those before. */
        private const val HALF_BITS = 10
        private const val HALF = 1 shl HALF_BITS
        private val BINS = binOf(MOST_MICROS) + 1

        /** The most memory, in bytes, that one instance needs outside of [StatsMemory]. */
        val FIXED_BYTES = SparseCounts.fixedBytes(BINS)

        private fun binOf(micros: Long): Int {
            val doublings = Long.SIZE_BITS - (micros or (2L * HALF - 1)).countLeadingZeroBits() - HALF_BITS - 1
            return doublings * HALF + (micros shr doublings).toInt()
        }

        private fun lowestOf(bin: Int): Long {
            val doublings = (bin / HALF - 1).coerceAtLeast(0)
            return (bin - doublings * HALF).toLong() shl doublings
        }
    }
}
