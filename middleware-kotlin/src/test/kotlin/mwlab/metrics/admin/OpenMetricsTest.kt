package mwlab.metrics.admin

import kotlinx.coroutines.runBlocking
import mwlab.metrics.Metrics
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.Outcome
import mwlab.metrics.stats.RequestType
import mwlab.metrics.stats.ServerLink
import mwlab.net.EventLoop
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.microseconds

class OpenMetricsTest {
    private val gauges = Metrics.Gauges(
        connections = { 3 },
        refusedConnections = { 0 },
        stalledConnections = { 0 },
        failedConnections = { 0 },
        bufferBytes = { 0 },
        queueLength = { 7 },
        serverLinks = { listOf(ServerLink("s1")) },
    )

    /** Two gets, of 0.3 ms and of 3 s, and a worker that is busy with a third one. */
    private fun text(): String {
        var now = 10_000_000_000L
        val loop = EventLoop("test", clock = { now })
        try {
            val metrics = Metrics(listOf(loop), listOf("s1"), workers = 2, 100.microseconds, gauges)
            val recorder = metrics.recorderOf(loop)
            for (nanos in listOf(300_000L, 3_000_000_000L)) {
                val times = JobTimes().apply {
                    firstByteNanos = now - nanos
                    enqueuedNanos = now - nanos
                    dequeuedNanos = now - nanos
                    repliedNanos = now
                }
                recorder.serverReplied(0, RequestType.ofGet(1), nanos)
                recorder.replied(RequestType.ofGet(1), Outcome(), times)
            }
            recorder.dequeued(0, now)
            recorder.refusedRequest()
            recorder.undelivered()
            now += 2_000_000_000
            return runBlocking {
                metrics.collect()
                OpenMetrics.of(metrics)
            }
        } finally {
            loop.close()
        }
    }

    @Test
    fun `response times are cumulative buckets by type, those of servers by server and type`() {
        val text = text()
        for (series in listOf(
            "mwlab_response_time_seconds" to "type=\"get\"",
            SERVER_TIME to "server=\"s1\",type=\"get\"",
        )) {
            val (name, labels) = series
            assertTrue("# TYPE $name histogram\n# UNIT $name seconds\n" in text, text)
            val buckets = Regex("${name}_bucket\\{$labels,le=\"(.*)\"} (\\d+)").findAll(text).map {
                it.destructured.toList()
            }.toList()
            val expected = listOf("5e-05", "0.0001", "0.0002").map { listOf(it, "0") } +
                listOf("0.0005", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1.0").map {
                    listOf(it, "1")
                } +
                listOf(listOf("+Inf", "2"))
            assertEquals(expected, buckets)
            assertTrue("${name}_count{$labels} 2\n${name}_sum{$labels} 3.0003\n" in text, text)
        }
        assertTrue("quantile" !in text)
    }

    @Test
    fun `queue, workers and refusals are those of the moment`() {
        val text = text()
        for (line in listOf(
            "mwlab_queue_length 7",
            "mwlab_busy_workers 1",
            "mwlab_refused_requests_total 1",
            "mwlab_undelivered_replies_total 1",
        )) {
            assertTrue("\n$line\n" in text, "$line is not in $text")
        }
    }

    @Test
    fun `every metric of the dashboard is one that is written`() {
        val written = Regex("(?m)^(mwlab_\\w+)").findAll(text()).map { it.value }.toSet()
        val named = Regex("mwlab_\\w+").findAll(File("../docs/grafana.json").readText()).map { it.value }.toSet()
        assertTrue(named.size > 10, "$named")
        assertEquals(emptySet(), named - written)
    }

    private companion object {
        const val SERVER_TIME = "mwlab_server_response_time_seconds"
    }
}
