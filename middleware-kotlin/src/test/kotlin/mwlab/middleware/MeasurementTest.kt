package mwlab.middleware

import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.TextClient
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.HdrHistogram.Histogram
import org.HdrHistogram.HistogramLogReader
import org.junit.jupiter.api.io.TempDir
import java.net.InetSocketAddress
import java.nio.file.Path
import kotlin.concurrent.thread
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readLines
import kotlin.io.path.readText
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The files of a real run with sockets agree with each other and with the laws they have to obey. */
class MeasurementTest {
    @TempDir
    lateinit var directory: Path

    private fun config(servers: List<FakeMemcached>, workers: Int) =
        MiddlewareConfig(ANY_PORT, servers.map { it.address }, workers = workers, statsDirectory = directory)

    private fun table(name: String): List<Map<String, String>> {
        val lines = directory.resolve(name).readLines().map { it.split(',') }
        return lines.drop(1).map { cells -> lines.first().zip(cells).toMap() }
    }

    private fun List<Map<String, String>>.sum(column: String) = sumOf { it.getValue(column).toDouble() }

    /** Sum of a time over all requests, in seconds. */
    private fun List<Map<String, String>>.totalSeconds(time: String, count: String = "requests") = sumOf { row ->
        row.getValue("${time}_mean_ms").ifEmpty { "0" }.toDouble() * row.getValue(count).toDouble() /
            1000
    }

    private fun summaryNumber(section: String, name: String): Double {
        val text = directory.resolve("summary.json").readText().substringAfter("\"$section\":")
        return Regex("\"$name\":([0-9.E-]+)").find(text)!!.groupValues[1].toDouble()
    }

    /** Eight clients in a closed loop, two workers, servers that take a millisecond: there is always a queue. */
    private fun measure(seconds: Double) = withServers(2) { servers ->
        servers.forEach { server -> server.answer = { _, reply -> reply.also { Thread.sleep(1) } } }
        withMiddleware(config(servers, workers = 2)) { address ->
            List(CLIENTS) { thread { load(address, seconds) } }.forEach { it.join() }
        }
    }

    private fun load(address: InetSocketAddress, seconds: Double) = TextClient(address).use { client ->
        val end = System.nanoTime() + (seconds * 1e9).toLong()
        while (System.nanoTime() < end) {
            client.set("k", "value")
            client.get("k")
            client.get("k", "none", "k")
        }
    }

    @Test
    fun `Little's law holds at the queue, at the workers and for the clients`() {
        val seconds = 3.0
        measure(seconds)
        val windows = table("windows.csv")
        val queue = table("queue.csv")
        assertEquals(queue.sum("arrivals"), windows.sum("requests"))

        val queueingTime = windows.totalSeconds("queueing_time") / windows.sum("requests")
        assertTrue(queueingTime > 0.001, "jobs have waited: $queueingTime s")
        assertClose(
            summaryNumber("queue", "arrivals_per_s") * queueingTime,
            summaryNumber("queue", "mean"),
            tolerance = 0.02,
        )

        val busyWorkers = table("utilization.csv").filter { it["kind"] == "worker" }
        val whole = { row: Map<String, String> -> row["epoch_s"] in queue.drop(1).dropLast(1).map { it["epoch_s"] } }
        assertClose(
            windows.filter(whole).totalSeconds("service_time"),
            busyWorkers.filter(whole).sum("utilization"),
            tolerance = 0.02,
        )

        val thinkTime = windows.totalSeconds("client_rtt_and_think_time", count = "client_rtt_and_think_time_count")
        assertClose(CLIENTS * seconds, windows.totalSeconds("response_time") + thinkTime, tolerance = 0.02)
    }

    @Test
    fun `the queue looked at ten times a second is as long as the time-weighted one`() {
        measure(seconds = 4.2)
        val seconds = table("queue.csv").drop(1).dropLast(1)
        assertClose(seconds.sum("queue_length_mean"), seconds.sum("queue_length_sampled_mean"), tolerance = 0.25)
        assertTrue(seconds.all { it.getValue("queue_length_max").toInt() in 1..CLIENTS })
    }

    @Test
    fun `the files count the same requests`() {
        measure(seconds = 1.2)
        val windows = table("windows.csv").groupBy { it.getValue("request_type") }
        assertEquals(setOf("get", "set", "multi-get-3"), windows.keys)
        assertEquals(windows.getValue("multi-get-3").sum("requests") * 2, windows.getValue("multi-get-3").sum("hits"))
        assertEquals(windows.getValue("multi-get-3").sum("requests"), windows.getValue("multi-get-3").sum("misses"))
        val servers = table("servers.csv")
        val sets = windows.getValue("set").sum("requests")
        assertEquals(windows.values.sumOf { it.sum("requests") } + sets, servers.sum("requests"))

        val histograms = histograms()
        val bins = table("bins.csv").groupBy { "${it["time"]}/${it["request_type"]}" }
        for ((type, rows) in windows) {
            for (time in listOf("response_time", "queueing_time", "service_time")) {
                assertEquals(
                    rows.sum("requests").toLong(),
                    histograms.getValue("$time/$type").totalCount,
                    "$time/$type",
                )
                assertEquals(rows.sum("requests"), bins.getValue("$time/$type").sum("count"), "$time/$type")
            }
            assertClose(
                rows.totalSeconds("response_time") * 1e6 / rows.sum("requests"),
                histograms.getValue("response_time/$type").mean,
                0.01,
            )
        }
        assertEquals(
            servers.sum("requests").toLong(),
            histograms.filterKeys {
                it.startsWith("server_time/")
            }.values.sumOf { it.totalCount },
        )
        assertTrue("\"clean_shutdown\":true" in directory.resolve("summary.json").readText())
    }

    /** The whole run's histogram of each tag, read by the library's own reader. */
    private fun histograms(): Map<String, Histogram> {
        val sums = mutableMapOf<String, Histogram>()
        val reader = HistogramLogReader(directory.resolve("histograms.hlog").toFile())
        while (true) {
            val interval = reader.nextIntervalHistogram() as Histogram? ?: return sums
            sums.getOrPut(interval.tag) { Histogram(3) }.add(interval)
        }
    }

    private fun assertClose(expected: Double, actual: Double, tolerance: Double) = assertTrue(
        actual in expected * (1 - tolerance)..expected * (1 + tolerance),
        "expected about $expected, got $actual",
    )

    @Test
    fun `without instrumentation the summary says so, and is all that is written`() = withServers(2) { servers ->
        val addresses = servers.map { it.address }
        for (dispatch in Dispatch.entries) {
            val config = MiddlewareConfig(
                ANY_PORT,
                addresses,
                workers = 2,
                dispatch = dispatch,
                instrumentation = false,
                statsDirectory = directory,
            )
            withMiddleware(config) { address ->
                TextClient(address).use { client ->
                    assertEquals("STORED", client.set("k", "value"))
                    assertEquals(listOf("VALUE k 0 5", "value"), client.get("k"))
                    assertEquals("ERROR", client.ask("hello"))
                    servers.forEach { it.dropConnections() }
                }
            }
            assertEquals(listOf("summary.json"), directory.listDirectoryEntries().map { it.name })
            val summary = directory.resolve("summary.json").readText()
            assertTrue("\"instrumentation\":\"off\"" in summary, summary)
            assertTrue("\"requests\"" !in summary && "\"queue\"" !in summary, summary)
            assertTrue("\"connections_up\":" in summary, summary)
        }
    }

    private companion object {
        const val CLIENTS = 8
    }
}
