package mwlab.metrics.stats

import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * Counts of times in bins of one fixed [width] up to 500 ms, over the whole run, as the course's reports draw them; the last bin is open.
 *
 * Not thread-safe while being recorded.
 */
class Bins(private val width: Duration, private val servers: Int, private val memory: StatsMemory) {
    private val widthNanos = width.inWholeNanoseconds
    private val size = countOf(width)
    private val slots = TypeStats.HISTOGRAM_TIMES.size + servers
    private val counts = arrayOfNulls<SparseCounts>(RequestType.count * slots)

    internal fun record(type: Int, times: JobTimes) {
        for (slot in TypeStats.HISTOGRAM_TIMES.indices) count(type, slot, TypeStats.HISTOGRAM_TIMES[slot].of(times))
    }

    internal fun recordServer(server: Int, type: Int, nanos: Long) =
        count(type, TypeStats.HISTOGRAM_TIMES.size + server, nanos)

    private fun count(type: Int, slot: Int, nanos: Long) =
        of(type * slots + slot).add(minOf(nanos / widthNanos, size - 1L).toInt())

    private fun of(index: Int) = counts[index] ?: SparseCounts(size, memory).also { counts[index] = it }

    /** Moves the counts of another thread's bins here: the other ones are empty then, and their memory is given back. */
    fun take(other: Bins) {
        other.counts.forEachIndexed { index, theirs ->
            if (theirs == null) return@forEachIndexed
            if (counts[index] == null) {
                counts[index] = theirs
            } else {
                of(index).add(theirs)
                theirs.clear()
            }
            other.counts[index] = null
        }
    }

    /** Calls [action] for each bin that is not empty. */
    fun forEach(serverNames: List<String>, action: (time: String, type: String, start: Duration, count: Long) -> Unit) {
        counts.forEachIndexed { index, bins ->
            val slot = index % slots
            val time = TypeStats.HISTOGRAM_TIMES.getOrNull(slot)?.column
                ?: "server_time/${serverNames[slot - TypeStats.HISTOGRAM_TIMES.size]}"
            bins?.forEach { bin, count -> action(time, RequestType.name(index / slots), width * bin, count) }
        }
    }

    internal companion object {
        private val LIMIT = 500.milliseconds

        /** How many bins of [width] there are. */
        fun countOf(width: Duration): Int = (LIMIT.inWholeNanoseconds / width.inWholeNanoseconds).toInt() + 1
    }
}
