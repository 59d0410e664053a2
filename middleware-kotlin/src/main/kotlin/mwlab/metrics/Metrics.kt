package mwlab.metrics

import kotlinx.coroutines.withContext
import mwlab.metrics.stats.Bins
import mwlab.metrics.stats.Counts
import mwlab.metrics.stats.ServerHealth
import mwlab.metrics.stats.ServerLink
import mwlab.metrics.stats.StatsMemory
import mwlab.metrics.stats.WindowStats
import mwlab.net.EventLoop
import kotlin.time.Duration

/**
 * All that a middleware measures: one [Recorder] per net thread, and the second by second sum of them.
 *
 * @param gauges what can only be looked at in the moment.
 * @param instrumentation whether anything of single requests is recorded.
 * @property memory what the distributions of times may take.
 */
class Metrics(
    private val netThreads: List<EventLoop>,
    val serverNames: List<String>,
    val workers: Int,
    val binWidth: Duration,
    val gauges: Gauges,
    val instrumentation: Boolean = true,
    val memory: StatsMemory = StatsMemory(),
) {
    /** Thread-safe looks at the running middleware. */
    class Gauges(
        val connections: () -> Int,
        val refusedConnections: () -> Long,
        val stalledConnections: () -> Long,
        val failedConnections: () -> Long,
        val bufferBytes: () -> Long,
        val queueLength: () -> Int,
        val serverLinks: () -> List<ServerLink>,
    )

    val clock = EpochClock(netThreads.first().clock)
    val startNanos: Long = clock.nanos()

    /** The whole run up to the last second collected. Confined to whoever calls [collect]. */
    val total = WindowStats(serverNames.size, workers, memory)

    private val recorders = LastArrival().let { lastArrival ->
        val shape = Recorder.Shape(serverNames.size, workers, binWidth, instrumentation, memory)
        netThreads.mapIndexed { index, loop -> Recorder(shape, clock, lastArrival, index, loop::cpuNanos, startNanos) }
    }

    private val unmerged = sortedMapOf<Long, MutableList<WindowStats>>()
    private var merged = emptyList<WindowStats>()

    /** How the servers are, in their order. Thread-safe. */
    fun serverHealth(): List<ServerHealth> {
        val links = gauges.serverLinks().groupBy { it.server }
        return serverNames.map { ServerHealth(it, links[it].orEmpty()) }
    }

    /** Workers that hold a job at the moment. Thread-safe. */
    fun busyWorkers(): Int = recorders.sumOf { it.busyWorkers }

    fun recorderOf(loop: EventLoop): Recorder = recorders[netThreads.indexOf(loop)]

    /**
     * The seconds that have ended since the last call, each summed over the net threads, oldest first; valid until the next
     * call. One caller at a time; suspends for the net threads.
     */
    suspend fun collect(): List<WindowStats> {
        netThreads.forEachIndexed { index, loop -> on(loop) { recorders[index].advance(clock.nanos()) } }
        return merge()
    }

    /** The last part of a second, once nothing happens any more; as [collect] otherwise. */
    suspend fun collectLast(): List<WindowStats> {
        // One end for all: a job may have been queued on one of them and taken on another.
        var endNanos = 0L
        netThreads.forEachIndexed { index, loop ->
            on(loop) {
                if (index == 0) endNanos = clock.nanos()
                recorders[index].stop(endNanos)
            }
        }
        return merge(isLast = true)
    }

    /** All that was counted since the start, up to now. Thread-safe; suspends for the net threads. */
    suspend fun counts(): Counts {
        val sum = Counts(serverNames.size)
        netThreads.forEachIndexed { index, loop -> on(loop) { recorders[index].addTo(sum) } }
        return sum
    }

    /** Takes the fixed bins of the whole run out of the recorders; once, when nothing is recorded any more. */
    fun takeBins(): Bins = Bins(binWidth, serverNames.size, memory).also { sum ->
        recorders.forEach { sum.take(it.bins) }
    }

    /** On the thread that the recorder belongs to; if that has ended, here. */
    private suspend fun on(loop: EventLoop, block: () -> Unit) =
        if (loop.isAlive) withContext(loop) { block() } else block()

    private fun merge(isLast: Boolean = false): List<WindowStats> {
        merged.forEach(recorders.first()::recycle)
        for (recorder in recorders) {
            while (true) {
                val window = recorder.closed.poll() ?: break
                unmerged.getOrPut(window.epochSecond, ::mutableListOf) += window
            }
        }
        // A second may just have ended on one net thread and not yet on another: it waits for the next time.
        val complete = unmerged.values.filter { isLast || it.size == recorders.size }
        merged = complete.map(::sumOfSecond)
        for (window in merged) {
            unmerged.remove(window.epochSecond)
            total.add(window)
            total.durationNanos += window.durationNanos
        }
        return merged
    }

    /** Adds all [windows] of one second to the first one; the others are used again. */
    private fun sumOfSecond(windows: List<WindowStats>): WindowStats {
        val sum = windows.first()
        for (index in 1 until windows.size) {
            sum.add(windows[index])
            recorders[index].recycle(windows[index])
        }
        return sum
    }
}
