package mwlab.metrics.admin

import mwlab.metrics.Metrics
import mwlab.metrics.results.JvmFacts
import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.RequestCounts
import mwlab.metrics.stats.TimeCounts
import mwlab.metrics.stats.TypeStats
import kotlin.math.roundToLong

/** The run so far in the OpenMetrics text format 1.0, which Prometheus reads. */
internal object OpenMetrics {
    const val CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /** Upper limits of the histograms' buckets in seconds, as they stand in the text; a last bucket is without limit. */
    private val BUCKETS = "5e-05 0.0001 0.0002 0.0005 0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1.0".split(' ')
    private val BUCKETS_US = LongArray(BUCKETS.size) { (BUCKETS[it].toDouble() * MICROS_PER_S).roundToLong() }
    private const val MICROS_PER_S = 1e6
    private const val NANOS_PER_S = 1e9

    /** To be called by whoever collects [metrics]. */
    fun of(metrics: Metrics): String = buildString {
        single("mwlab_instrumentation", "gauge", "1 if requests are measured.", if (metrics.instrumentation) 1 else 0)
        if (metrics.instrumentation) {
            requests(metrics)
            times(metrics)
            queue(metrics)
            servers(metrics)
        }
        connections(metrics)
        process(metrics)
        append("# EOF\n")
    }

    private fun StringBuilder.requests(metrics: Metrics) {
        counter("mwlab_requests", "Requests answered.", metrics) { it.requests }
        counter("mwlab_request_errors", "Requests answered with an error.", metrics) { it.errors }
        counter("mwlab_keys", "Keys asked for or changed.", metrics) { it.keys }
        counter("mwlab_key_hits", "Keys found by reads.", metrics) { it.hits }
        counter("mwlab_key_misses", "Keys not found by reads.", metrics) { it.misses }
        counter("mwlab_request_bytes", "Bytes of the requests.", metrics) { it.bytesIn }
        counter("mwlab_reply_bytes", "Bytes of the replies.", metrics) { it.bytesOut }
    }

    private fun StringBuilder.counter(name: String, help: String, metrics: Metrics, value: (RequestCounts) -> Long) {
        family(name, "counter", help)
        metrics.total.forEachType { type, stats -> append("${name}_total{type=\"$type\"} ${value(stats.counts)}\n") }
    }

    private fun StringBuilder.times(metrics: Metrics) {
        for (time in JobTime.entries) {
            val name = "mwlab_${time.column}_seconds"
            val hasBuckets = time in TypeStats.HISTOGRAM_TIMES
            val help = "The ${time.column.replace('_', ' ')} as seen in the middleware."
            family(name, if (hasBuckets) "histogram" else "summary", help, unit = "seconds")
            metrics.total.forEachType { type, stats ->
                val labels = "type=\"$type\""
                if (hasBuckets) {
                    histogram(name, labels, stats.distribution(time))
                } else {
                    countAndSum(name, labels, stats.times(time).count, stats.times(time).sumNanos)
                }
            }
        }
    }

    private fun StringBuilder.histogram(name: String, labels: String, times: TimeCounts) {
        val counts = times.cumulativeCounts(BUCKETS_US)
        for (index in counts.indices) {
            append("${name}_bucket{$labels,le=\"${BUCKETS[index]}\"} ${counts[index]}\n")
        }
        append("${name}_bucket{$labels,le=\"+Inf\"} ${times.count}\n")
        countAndSum(name, labels, times.count, times.sumNanos)
    }

    private fun StringBuilder.countAndSum(name: String, labels: String, count: Long, sumNanos: Long) {
        append("${name}_count{$labels} $count\n")
        append("${name}_sum{$labels} ${sumNanos / NANOS_PER_S}\n")
    }

    private fun StringBuilder.queue(metrics: Metrics) {
        val total = metrics.total
        single("mwlab_queue_arrivals", "counter", "Jobs queued.", total.queue.arrivals)
        single("mwlab_queue_refused", "counter", "Jobs refused because the queue was full.", total.queue.refused)
        single("mwlab_queue_length", "gauge", "Jobs that wait at the moment.", metrics.gauges.queueLength())
        single("mwlab_queue_length_max", "gauge", "Most jobs that have waited at a time.", total.queue.maxLength)
        single(
            "mwlab_queue_wait_job_seconds",
            "counter",
            "Jobs waiting, integrated over time.",
            total.queue.lengthNanos / NANOS_PER_S,
        )
        single("mwlab_workers", "gauge", "Workers.", metrics.workers)
        single("mwlab_busy_workers", "gauge", "Workers that hold a job at the moment.", metrics.busyWorkers())
        single(
            "mwlab_workers_busy_seconds",
            "counter",
            "Time that workers held a job.",
            total.workerBusyNanos.sum() / NANOS_PER_S,
        )
        single("mwlab_measured_seconds", "counter", "Time that the counters cover.", total.durationNanos / NANOS_PER_S)
    }

    private fun StringBuilder.servers(metrics: Metrics) {
        server("mwlab_server_requests", "counter", "Requests sent to the server.", metrics) {
            metrics.total.server[it].requests
        }
        server("mwlab_server_errors", "counter", "Requests that failed there.", metrics) {
            metrics.total.server[it].errors
        }
        server("mwlab_server_keys", "counter", "Keys asked of the server.", metrics) { metrics.total.server[it].keys }
        val name = "mwlab_server_response_time_seconds"
        family(name, "histogram", "The response time of a server as seen in the middleware.", unit = "seconds")
        metrics.serverNames.forEachIndexed { index, server ->
            metrics.total.forEachUsedType { type, stats ->
                histogram(name, "server=\"$server\",type=\"$type\"", stats.serverDistribution(index))
            }
        }
    }

    private fun StringBuilder.connections(metrics: Metrics) {
        val health = metrics.serverHealth()
        server("mwlab_server_failovers", "counter", "Reads that went to another server instead.", metrics) {
            metrics.total.server[it].failovers
        }
        server("mwlab_server_connections", "gauge", "Open connections to the server.", metrics) {
            health[it].up.toLong()
        }
        server("mwlab_server_connection_failures", "counter", "Connections lost or refused.", metrics) {
            health[it].failures
        }
        server("mwlab_server_reconnects", "counter", "Connections that came back.", metrics) { health[it].reconnects }
    }

    private fun StringBuilder.server(name: String, type: String, help: String, metrics: Metrics, value: (Int) -> Long) {
        family(name, type, help)
        val suffix = if (type == "counter") "_total" else ""
        metrics.serverNames.forEachIndexed { index, server ->
            append("$name$suffix{server=\"$server\"} ${value(index)}\n")
        }
    }

    private fun StringBuilder.process(metrics: Metrics) {
        val jvm = JvmFacts.now()
        single("mwlab_client_connections", "gauge", "Clients connected.", metrics.gauges.connections())
        single("mwlab_client_refused", "counter", "Clients turned away.", metrics.gauges.refusedConnections())
        single(
            "mwlab_refused_requests",
            "counter",
            "Requests that the middleware refused itself.",
            metrics.total.refusedRequests,
        )
        single(
            "mwlab_undelivered_replies",
            "counter",
            "Replies whose client was gone.",
            metrics.total.undeliveredReplies,
        )
        single(
            "mwlab_client_stalled",
            "counter",
            "Clients closed because they did not move.",
            metrics.gauges.stalledConnections(),
        )
        single(
            "mwlab_failed_connections",
            "counter",
            "Connections closed because of an unexpected failure.",
            metrics.gauges.failedConnections(),
        )
        single("mwlab_buffer_bytes", "gauge", "Memory of messages under way.", metrics.gauges.bufferBytes())
        single("mwlab_cpu_seconds", "counter", "CPU time used.", jvm.cpuSeconds)
        single("mwlab_heap_used_bytes", "gauge", "Heap in use.", jvm.heapUsedBytes)
        single("mwlab_gc_collections", "counter", "Garbage collections.", jvm.gcCount)
    }

    private fun StringBuilder.single(name: String, type: String, help: String, value: Number) {
        family(name, type, help)
        append("$name${if (type == "counter") "_total" else ""} $value\n")
    }

    private fun StringBuilder.family(name: String, type: String, help: String, unit: String? = null) {
        append("# TYPE $name $type\n")
        if (unit != null) append("# UNIT $name $unit\n")
        append("# HELP $name $help\n")
    }
}
