package mwlab.metrics.stats

import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * Counts of times in bins of one fixed width, over the whole run, as the course's reports draw them; the last bin is open.
 *
 * Not thread-safe while being recorded.
 */
class Bins(private val layout: Layout, private val servers: Int) {
    /** Bins of [width] up to [LIMIT]. */
    class Layout(val width: Duration) {
        internal val widthNanos = width.inWholeNanoseconds
        internal val count = (LIMIT.inWholeNanoseconds / widthNanos).toInt() + 1
    }

    private val slots = TypeStats.HISTOGRAM_TIMES.size + servers
    private val counts = arrayOfNulls<LongArray>(RequestType.count * slots)

    internal fun record(type: Int, times: JobTimes) {
        for (slot in TypeStats.HISTOGRAM_TIMES.indices) count(type, slot, TypeStats.HISTOGRAM_TIMES[slot].of(times))
    }

    internal fun recordServer(server: Int, type: Int, nanos: Long) =
        count(type, TypeStats.HISTOGRAM_TIMES.size + server, nanos)

    private fun count(type: Int, slot: Int, nanos: Long) {
        val index = type * slots + slot
        val bins = counts[index] ?: LongArray(layout.count).also { counts[index] = it }
        bins[minOf(nanos / layout.widthNanos, layout.count - 1L).toInt()]++
    }

    /** Adds the counts of another thread's bins. */
    fun add(other: Bins) {
        other.counts.forEachIndexed { index, theirs ->
            if (theirs == null) return@forEachIndexed
            val ours = counts[index] ?: LongArray(layout.count).also { counts[index] = it }
            for (bin in ours.indices) ours[bin] += theirs[bin]
        }
    }

    /** Calls [action] for each bin that is not empty. */
    fun forEach(serverNames: List<String>, action: (time: String, type: String, start: Duration, count: Long) -> Unit) {
        counts.forEachIndexed { index, bins ->
            val slot = index % slots
            val time = TypeStats.HISTOGRAM_TIMES.getOrNull(slot)?.column
                ?: "server_time/${serverNames[slot - TypeStats.HISTOGRAM_TIMES.size]}"
            bins?.forEachIndexed { bin, count ->
                if (count > 0) action(time, RequestType.name(index / slots), layout.width * bin, count)
            }
        }
    }

    private companion object {
        val LIMIT = 500.milliseconds
    }
}
