package mwlab.middleware

import mwlab.metrics.Metrics
import mwlab.metrics.stats.Counts
import mwlab.metrics.stats.RequestType
import mwlab.metrics.stats.ServerHealth
import mwlab.metrics.stats.ServerStats
import mwlab.metrics.stats.TimeStats
import mwlab.middleware.reply.VERSION

/** What the middleware says of itself in the answer to `stats`: names that begin with `mw_`, as none of memcached's. Pure. */
internal object OwnStatistics {
    private const val NANOS_PER_S = 1_000_000_000L

    fun of(
        config: MiddlewareConfig,
        metrics: Metrics,
        counts: Counts,
        queueLength: Int,
        nanos: Long,
    ): List<Pair<String, Any?>> = buildList {
        add("mw_version" to VERSION)
        add("mw_pid" to ProcessHandle.current().pid())
        add("mw_uptime" to (nanos - metrics.startNanos) / NANOS_PER_S)
        add("mw_backend" to config.backEnd.option)
        add("mw_routing" to config.routing.option)
        add("mw_dispatch" to config.dispatch.option)
        add("mw_workers" to config.workers)
        add("mw_max_connections" to config.maxClients)
        add("mw_curr_connections" to metrics.gauges.connections())
        add("mw_rejected_connections" to metrics.gauges.refusedConnections())
        add("mw_stalled_connections_closed" to metrics.gauges.stalledConnections())
        add("mw_failed_connections" to metrics.gauges.failedConnections())
        add("mw_max_buffer_bytes" to config.maxBufferBytes)
        add("mw_buffer_bytes" to metrics.gauges.bufferBytes())
        add("mw_queue_length" to queueLength)
        add("mw_queue_capacity" to config.queueCapacity)
        add("mw_queue_arrivals" to counts.arrivals)
        add("mw_queue_refused" to counts.refused)
        add("mw_refused_requests" to counts.refusedRequests)
        add("mw_undelivered_replies" to counts.undeliveredReplies)
        add("mw_instrumentation" to if (config.instrumentation) "on" else "off")
        if (config.instrumentation) requests(counts)
        val health = metrics.serverHealth()
        val keys = counts.server.sumOf { it.keys }
        counts.server.forEachIndexed { index, server -> server(health[index], server, keys) }
    }

    private fun MutableList<Pair<String, Any?>>.requests(counts: Counts) {
        add("mw_requests" to counts.types.sumOf { it.requests })
        add("mw_errors" to counts.types.sumOf { it.errors })
        add("mw_hits" to counts.types.sumOf { it.hits })
        add("mw_misses" to counts.types.sumOf { it.misses })
        add("mw_bytes_read" to counts.types.sumOf { it.bytesIn })
        add("mw_bytes_written" to counts.types.sumOf { it.bytesOut })
        counts.types.forEachIndexed { index, type ->
            if (type.requests == 0L) return@forEachIndexed
            val name = "mw_${RequestType.name(index)}"
            add("$name:requests" to type.requests)
            add("$name:errors" to type.errors)
            add("$name:response_time_mean_ms" to milliseconds(counts.responseTimes[index]))
        }
    }

    private fun MutableList<Pair<String, Any?>>.server(health: ServerHealth, counts: ServerStats, keys: Long) {
        val name = "mw_server:${health.server}"
        add("$name:state" to health.state)
        add("$name:connections" to health.connections)
        add("$name:connections_up" to health.up)
        add("$name:connection_failures" to health.failures)
        add("$name:reconnects" to health.reconnects)
        add("$name:requests" to counts.requests)
        add("$name:errors" to counts.errors)
        add("$name:failovers" to counts.failovers)
        add("$name:keys" to counts.keys)
        if (keys > 0) add("$name:share_of_keys" to "%.4f".format(null, counts.keys.toDouble() / keys))
        if (counts.responseTime.count > 0) add("$name:response_time_mean_ms" to milliseconds(counts.responseTime))
    }

    private fun milliseconds(time: TimeStats): String = "%.3f".format(null, time.meanMs)
}
