package mwlab.loadgen.arrivals

/** When the first [MOST] requests of one event loop were handed to the socket. Confined to the loop's thread. */
internal class SentTimes {
    private var nanos = LongArray(FIRST_CAPACITY)
    private var count = 0

    fun add(sentNanos: Long) {
        if (count == MOST) return
        if (count == nanos.size) nanos = nanos.copyOf(minOf(2 * count, MOST))
        nanos[count++] = sentNanos
    }

    companion object {
        /** One more than the gaps between them. */
        const val MOST = 100_001
        private const val FIRST_CAPACITY = 1024

        /** The first [MOST] of all loops together in their order. */
        fun merge(parts: List<SentTimes>): LongArray {
            val all = LongArray(parts.sumOf { it.count })
            var filled = 0
            for (part in parts) {
                part.nanos.copyInto(all, filled, 0, part.count)
                filled += part.count
            }
            all.sort()
            return all.copyOf(minOf(all.size, MOST))
        }
    }
}
