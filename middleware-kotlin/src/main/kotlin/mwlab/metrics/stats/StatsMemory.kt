package mwlab.metrics.stats

import java.util.concurrent.atomic.AtomicLong
import kotlin.math.ceil
import kotlin.time.Duration

/**
 * The heap that counts of times may take: a budget that all net threads share. Thread-safe.
 *
 * @param mostBytes what all chunks of [SparseCounts] may take together.
 */
class StatsMemory(private val mostBytes: Long = Long.MAX_VALUE) {
    private val used = AtomicLong()
    private val refused = AtomicLong()

    val usedBytes: Long get() = used.get()

    /** How often there was no memory, and a time was counted with less precision. */
    val coarseCounts: Long get() = refused.get()

    /** Takes [bytes] if there are as many left; returns whether there were. */
    internal fun take(bytes: Long): Boolean {
        if (used.addAndGet(bytes) <= mostBytes) return true
        used.addAndGet(-bytes)
        refused.incrementAndGet()
        return false
    }

    internal fun giveBack(bytes: Long) {
        used.addAndGet(-bytes)
    }

    companion object {
        /** Windows of one net thread at a time: the one under way, one that is over, one being written, one to spare. */
        private const val WINDOWS_PER_THREAD = 4

        private const val MIB = 1024.0 * 1024

        /**
         * Bytes of a heap of [heapBytes] that the chunks may take: half of the heap, less what the statistics take besides in the
         * worst case, when all request types occur on all net threads.
         *
         * @param binWidth width of the bins of [Bins].
         * @throws IllegalArgumentException if less than an eighth of the heap is left to the chunks.
         */
        fun bytesForChunks(heapBytes: Long, netThreads: Int, servers: Int, binWidth: Duration): Long {
            val distributions = RequestType.count * (TypeStats.HISTOGRAM_TIMES.size + servers).toLong()
            val windows = distributions * (netThreads * WINDOWS_PER_THREAD + 1) * TimeCounts.FIXED_BYTES
            val fixed = windows + distributions * netThreads * SparseCounts.fixedBytes(Bins.countOf(binWidth))
            val most = heapBytes / 8 * 3
            require(fixed <= most) {
                val (needed, present) = listOf(fixed / 3.0 * 8, heapBytes.toDouble()).map { ceil(it / MIB).toLong() }
                val wider = if (windows < most) "raise --histogram-bin, " else ""
                "statistics of $netThreads net threads and $servers servers with histogram bins of $binWidth need " +
                    "a heap of $needed MiB, which is $present MiB: ${wider}lower --net-threads, " +
                    "or set JAVA_OPTS=-Xmx${needed}m"
            }
            return heapBytes / 2 - fixed
        }
    }
}
