package mwlab.loadgen.workload

import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import java.nio.ByteBuffer
import java.util.SplittableRandom

/**
 * The values of one connection: how long each is and what stands in it. Not thread-safe.
 *
 * @param content what [contentOf] made, the same for all connections
 */
internal class ValueSequence(
    private val values: Values,
    private val keys: LongRange,
    private val random: SplittableRandom,
    private val content: ByteBuffer,
) {
    private val largest = values.size.largestBytes
    private val weighted = (values.size as? ValueSize.Weighted)?.let { cycle(it.weightOfBytes) }

    /** Bytes of the next value, which is for the given key. */
    fun nextSize(key: Long): Int = when (val size = values.size) {
        is ValueSize.Fixed -> size.bytes
        is ValueSize.Range -> if (values.spreadOverKeys) spread(size.bytes, key) else within(size.bytes)
        is ValueSize.Weighted -> checkNotNull(weighted).next()
    }

    /** Seconds until the next value expires; 0 is never. */
    fun nextExpiryS(): Long = values.expiryS.run { if (first == last) first else random.nextLong(first, last + 1) }

    /** Appends a value's bytes. Random ones are a window of one random block, at another place each time. */
    fun put(bytes: Int, out: ByteBuffer) {
        val offset = if (values.randomData) random.nextInt(largest + 1) else 0
        out.put(out.position(), content, offset, bytes)
        out.position(out.position() + bytes)
    }

    private fun within(sizes: IntRange) = random.nextInt(sizes.first, sizes.last + 1)

    private fun spread(sizes: IntRange, key: Long): Int {
        val place = (key - keys.first).toDouble() * (sizes.last - sizes.first)
        return sizes.first + (place / (keys.last - keys.first).coerceAtLeast(1)).toInt()
    }

    /** Each size as often as its weight says, one after the other, as memtier does. */
    private fun cycle(weightOfBytes: List<Pair<Int, Int>>): Iterator<Int> =
        generateSequence { weightOfBytes }.flatten().flatMap { (size, weight) -> List(weight) { size } }.iterator()

    companion object {
        /** The bytes that values are cut from: all x, or random ones for twice the largest value. Read-only. */
        fun contentOf(values: Values, seed: Long): ByteBuffer {
            val largest = values.size.largestBytes
            val block = ByteArray(if (values.randomData) 2 * largest else largest) { 'x'.code.toByte() }
            if (values.randomData) SplittableRandom(seed).nextBytes(block)
            return ByteBuffer.allocateDirect(block.size).put(block).flip()
        }
    }
}
