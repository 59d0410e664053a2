package mwlab.metrics.results

import mwlab.metrics.Metrics
import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.ServerHealth
import mwlab.metrics.stats.ServerStats
import mwlab.metrics.stats.StatsMemory
import mwlab.metrics.stats.TimeStats
import mwlab.metrics.stats.TypeStats
import mwlab.metrics.stats.WindowStats
import org.HdrHistogram.AbstractHistogram

/** The content of `summary.json` and of `/stats`: the whole run so far, as maps and lists. */
internal object Summary {
    private val PERCENTILES = listOf(50.0, 90.0, 95.0, 99.0, 99.9)
    private const val MICROS_PER_MS = 1e3
    private const val NANOS_PER_S = 1e9

    /** To be called by whoever collects [metrics]. */
    fun of(
        metrics: Metrics,
        configuration: Map<String, Any?>,
        version: String,
        isCleanShutdown: Boolean,
    ): Map<String, Any?> {
        val total = metrics.total
        val types = mutableMapOf<String, Any?>()
        total.forEachType { type, stats -> types[type] = type(stats) }
        val measured =
            if (metrics.instrumentation) mapOf("requests" to types, "queue" to queue(total)) else emptyMap()
        return mapOf(
            "version" to version,
            "instrumentation" to if (metrics.instrumentation) "on" else "off",
            "net_thread_time" to "cpu",
            "configuration" to configuration,
            "started_epoch_ms" to metrics.clock.epochMillis(metrics.startNanos),
            "stopped_epoch_ms" to metrics.clock.epochMillis(metrics.clock.nanos()),
            "clean_shutdown" to isCleanShutdown,
        ) + measured + mapOf(
            "servers" to
                metrics.serverHealth().mapIndexed { index, health -> server(health, total.server[index], metrics) },
            "clients" to mapOf(
                "connections" to metrics.gauges.connections(),
                "refused_connections" to metrics.gauges.refusedConnections(),
                "stalled_connections_closed" to metrics.gauges.stalledConnections(),
                "failed_connections" to metrics.gauges.failedConnections(),
                "refused_requests" to total.refusedRequests,
                "undelivered_replies" to total.undeliveredReplies,
            ),
            "jvm" to jvm(metrics.memory),
        )
    }

    private fun type(stats: TypeStats): Map<String, Any?> = mapOf(
        "requests" to stats.counts.requests,
        "keys" to stats.counts.keys,
        "errors" to stats.counts.errors,
        "hits" to stats.counts.hits,
        "misses" to stats.counts.misses,
        "bytes_in" to stats.counts.bytesIn,
        "bytes_out" to stats.counts.bytesOut,
    ) + JobTime.entries.associate { time ->
        val isDistribution = time in TypeStats.HISTOGRAM_TIMES
        val percentiles = if (isDistribution) percentiles(stats.distribution(time).toHistogram()) else emptyMap()
        "${time.column}_ms" to mean(stats.times(time)) + percentiles
    }

    private fun mean(time: TimeStats): Map<String, Any?> = when (time.count) {
        0L -> mapOf("count" to 0)
        else -> mapOf("count" to time.count, "mean" to time.meanMs, "min" to time.minMs, "max" to time.maxMs)
    }

    private fun percentiles(histogram: AbstractHistogram): Map<String, Any?> = PERCENTILES.associate { percentile ->
        "p${percentile.toString().removeSuffix(".0")}" to histogram.getValueAtPercentile(percentile) / MICROS_PER_MS
    }

    private fun queue(total: WindowStats): Map<String, Any?> = mapOf(
        "mean" to total.queue.lengthNanos.toDouble() / total.durationNanos,
        "max" to total.queue.maxLength,
        "arrivals" to total.queue.arrivals,
        "arrivals_per_s" to total.queue.arrivals * NANOS_PER_S / total.durationNanos,
        "refused" to total.queue.refused,
    )

    private fun server(health: ServerHealth, stats: ServerStats, metrics: Metrics): Map<String, Any?> {
        val allKeys = metrics.total.server.sumOf { it.keys }
        val measured = if (metrics.instrumentation) server(stats, allKeys) else emptyMap()
        return mapOf("address" to health.server) + measured + mapOf(
            "failovers" to stats.failovers,
            "state" to health.state,
            "connections" to health.connections,
            "connections_up" to health.up,
            "connection_failures" to health.failures,
            "reconnects" to health.reconnects,
            "last_failure" to health.lastFailure,
        )
    }

    private fun server(stats: ServerStats, allKeys: Long): Map<String, Any?> = mapOf(
        "requests" to stats.requests,
        "keys" to stats.keys,
        "share_of_keys" to stats.keys.toDouble() / allKeys,
        "errors" to stats.errors,
        "bytes_out" to stats.bytesOut,
        "bytes_in" to stats.bytesIn,
        "response_time_ms" to mean(stats.responseTime),
    )

    private fun jvm(statistics: StatsMemory): Map<String, Any?> {
        val now = JvmFacts.now()
        return mapOf(
            "version" to JvmFacts.version,
            "cpu_s" to now.cpuSeconds,
            "max_heap_bytes" to JvmFacts.maxHeapBytes,
            "heap_used_bytes" to now.heapUsedBytes,
            "statistics_bytes" to statistics.usedBytes,
            "coarse_times" to statistics.coarseCounts,
            "gc_count" to now.gcCount,
            "gc_time_ms" to now.gcTimeMs,
        )
    }
}
