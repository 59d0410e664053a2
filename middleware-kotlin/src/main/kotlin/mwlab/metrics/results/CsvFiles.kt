package mwlab.metrics.results

import mwlab.metrics.Metrics
import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.RequestCounts
import mwlab.metrics.stats.ServerStats
import mwlab.metrics.stats.TimeStats
import mwlab.metrics.stats.TypeStats
import mwlab.metrics.stats.WindowStats
import java.nio.file.Path

/** The per-second files: what is in them and how they are written. Not thread-safe. */
internal class CsvFiles(directory: Path, private val metrics: Metrics) : AutoCloseable {
    private val windows = CsvFile(directory, "windows.csv", WINDOW_COLUMNS)
    private val queue = CsvFile(directory, "queue.csv", QUEUE_COLUMNS)
    private val utilization = CsvFile(directory, "utilization.csv", listOf("epoch_s", "kind", "index", "utilization"))
    private val servers = CsvFile(directory, "servers.csv", SERVER_COLUMNS)
    private val all = listOf(windows, queue, utilization, servers)

    /** Appends [window]; [jvm] is what the virtual machine has used in it, if that is known. */
    fun append(window: WindowStats, jvm: JvmFacts?) {
        window.forEachType { type, stats -> windows.row(listOf(window.epochSecond, type) + typeCells(stats)) }
        queue.row(queueCells(window, jvm))
        val seconds = window.durationNanos.toDouble()
        window.workerBusyNanos.forEachIndexed { index, busy ->
            utilization.row(listOf(window.epochSecond, "worker", index, busy / seconds))
        }
        window.netThreadCpuNanos.forEach { (index, used) ->
            utilization.row(listOf(window.epochSecond, "net-thread", index, used / seconds))
        }
        window.server.forEachIndexed { index, stats ->
            val name = metrics.serverNames[index]
            if (stats.requests > 0) servers.row(listOf(window.epochSecond, name) + serverCells(stats))
        }
    }

    fun flush() = all.forEach(CsvFile::flush)

    override fun close() = all.forEach(CsvFile::close)

    private fun typeCells(stats: TypeStats): List<Any?> =
        countCells(stats.counts) + JobTime.entries.flatMap { timeCells(stats.times(it)) } +
            stats.times(JobTime.CLIENT_RTT_AND_THINK_TIME).count

    private fun countCells(counts: RequestCounts): List<Any?> = listOf(
        counts.keys,
        counts.requests,
        counts.errors,
        counts.hits,
        counts.misses,
        counts.bytesIn,
        counts.bytesOut,
    )

    private fun queueCells(window: WindowStats, jvm: JvmFacts?): List<Any?> {
        val queue = window.queue
        val busyWorkers = window.workerBusyNanos.sum().toDouble() / window.durationNanos
        return listOf(
            window.epochSecond,
            queue.arrivals,
            queue.interarrivalTime.mean / NANOS_PER_MS,
            queue.interarrivalTime.scv,
            queue.lengthNanos.toDouble() / window.durationNanos,
            queue.sampledLength.mean,
            queue.maxLength,
            metrics.workers - busyWorkers,
            metrics.gauges.connections(),
            jvm?.cpuSeconds,
            jvm?.heapUsedBytes,
            jvm?.gcCount,
            jvm?.gcTimeMs,
        )
    }

    private fun serverCells(stats: ServerStats): List<Any?> =
        listOf(stats.requests, stats.keys, stats.errors, stats.bytesOut, stats.bytesIn) +
            timeCells(stats.responseTime) + stats.failovers

    private fun timeCells(time: TimeStats): List<Any?> =
        if (time.count == 0L) listOf(null, null, null) else listOf(time.meanMs, time.minMs, time.maxMs)

    private companion object {
        const val NANOS_PER_MS = 1e6

        val WINDOW_COLUMNS =
            listOf("epoch_s", "request_type", "keys", "requests", "errors", "hits", "misses", "bytes_in", "bytes_out") +
                JobTime.entries.flatMap { timeColumns(it.column) } + "${JobTime.CLIENT_RTT_AND_THINK_TIME.column}_count"

        val QUEUE_COLUMNS = listOf(
            "epoch_s",
            "arrivals",
            "interarrival_time_mean_ms",
            "interarrival_time_scv",
            "queue_length_mean",
            "queue_length_sampled_mean",
            "queue_length_max",
            "waiting_workers_mean",
            "connections",
            "cpu_s",
            "heap_used_bytes",
            "gc_count",
            "gc_time_ms",
        )

        val SERVER_COLUMNS =
            listOf("epoch_s", "server", "requests", "keys", "errors", "bytes_out", "bytes_in") +
                timeColumns("response_time") + "failovers"

        fun timeColumns(name: String) = listOf("${name}_mean_ms", "${name}_min_ms", "${name}_max_ms")
    }
}
