package mwlab.metrics.stats

/**
 * Counts in bins 0 to [size] - 1 that take memory only where values occur: bins are allocated in chunks of [CHUNK].
 *
 * When [memory] has no room for a further chunk, values of that chunk are counted in its first bin: every value counts, with less
 * precision. Not thread-safe.
 */
internal class SparseCounts(private val size: Int, private val memory: StatsMemory) {
    private val chunks = arrayOfNulls<LongArray>(chunksOf(size))

    /** The counts of the chunks that there was no memory for. */
    private var coarse: LongArray? = null

    /** Adds [count] to [bin]. */
    fun add(bin: Int, count: Long = 1) {
        require(bin in 0 until size) { "bin must be 0 to ${size - 1}, got $bin" }
        val index = bin / CHUNK
        val chunk = chunks[index] ?: newChunk(index)
        if (chunk != null) chunk[bin % CHUNK] += count else addCoarsely(index, count)
    }

    /** Adds the counts of [other], which has as many bins. */
    fun add(other: SparseCounts) = other.forEach { bin, count -> add(bin, count) }

    /** Calls [action] for each bin that is not empty, in ascending order. */
    inline fun forEach(action: (bin: Int, count: Long) -> Unit) {
        for (index in chunks.indices) {
            val chunk = chunks[index]
            val outside = coarse?.get(index) ?: 0L
            if (chunk == null) {
                if (outside > 0) action(index * CHUNK, outside)
                continue
            }
            for (place in 0 until CHUNK) {
                val count = chunk[place] + if (place == 0) outside else 0L
                if (count > 0) action(index * CHUNK + place, count)
            }
        }
    }

    /** Sets all counts to 0 and gives the memory of the chunks back. */
    fun clear() {
        for (index in chunks.indices) {
            if (chunks[index] == null) continue
            chunks[index] = null
            memory.giveBack(CHUNK_BYTES)
        }
        coarse = null
    }

    private fun newChunk(index: Int): LongArray? =
        if (memory.take(CHUNK_BYTES)) LongArray(CHUNK).also { chunks[index] = it } else null

    private fun addCoarsely(index: Int, count: Long) {
        val counts = coarse ?: LongArray(chunks.size).also { coarse = it }
        counts[index] += count
    }

    companion object {
        private const val CHUNK = 128

        /** Array header and counts. */
        private const val CHUNK_BYTES = 16L + CHUNK * Long.SIZE_BYTES

        /** Two arrays, a reference and a count for each chunk, and the object itself. */
        private const val BYTES_PER_CHUNK = 4L + Long.SIZE_BYTES
        private const val OVERHEAD_BYTES = 64L

        private fun chunksOf(size: Int) = (size + CHUNK - 1) / CHUNK

        /** The most memory, in bytes, that counts of [size] bins need outside of [StatsMemory]. */
        fun fixedBytes(size: Int): Long = OVERHEAD_BYTES + chunksOf(size) * BYTES_PER_CHUNK
    }
}
