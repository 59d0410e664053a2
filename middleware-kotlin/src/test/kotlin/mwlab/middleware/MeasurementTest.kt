package mwlab.middleware

import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import mwlab.net.EventLoop
import mwlab.testing.ANY_PORT
import mwlab.testing.MemoryTransport
import mwlab.testing.Running
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.VirtualMemcached
import mwlab.testing.VirtualTime
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.HdrHistogram.Histogram
import org.HdrHistogram.HistogramLogReader
import org.junit.jupiter.api.io.TempDir
import java.net.InetSocketAddress
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readLines
import kotlin.io.path.readText
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The files of a whole run agree with each other and with the laws they have to obey. The run takes place in virtual time, where only
 * what the middleware measures wrongly can break a law.
 */
class MeasurementTest {
    @TempDir
    lateinit var directory: Path

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

    /** Eight clients in a closed loop, two workers, servers that take about a millisecond: there is always a queue. */
    private fun measure(length: Duration) {
        val addresses = List(2) { InetSocketAddress("10.0.0.$it", 11211) }
        val times = Random(1)
        val servers = addresses.associateWith { VirtualMemcached({ times.nextInt(500, 1500).microseconds })::connectOn }
        val transport = MemoryTransport(servers)
        val time = VirtualTime()
        val config = MiddlewareConfig(ANY_PORT, addresses, workers = 2, netThreads = 1, statsDirectory = directory)
        val middleware = Middleware(config, transport, time)
        val running = Running(middleware)
        val loop = middleware.netThreads.single()
        runBlocking {
            withContext(loop) {
                time.drive(loop) { error("nothing can happen any more") }
                val endNanos = time.nanos() + length.inWholeNanoseconds
                coroutineScope { repeat(CLIENTS) { launch { load(loop, transport, endNanos, Random(it)) } } }
                time.stop()
            }
        }
        val ending = running.stop()
        assertTrue(ending.isDrained && ending.fault == null)
    }

    private suspend fun load(loop: EventLoop, transport: MemoryTransport, endNanos: Long, random: Random) {
        val received = Channel<String>(Channel.UNLIMITED)
        val connection = transport.listener.connect(loop) { received.trySend(String(it, Charsets.ISO_8859_1)) }
        val commands = listOf("set k 0 0 5\r\nvalue\r\n", "get k\r\n", "get k none k\r\n")
        var number = 0
        while (loop.clock.nanos() < endNanos) {
            connection.receive(commands[number++ % commands.size])
            var reply = received.receive()
            while (!reply.endsWith("END\r\n") && !reply.endsWith("STORED\r\n")) reply += received.receive()
            loop.sleepUntil(loop.clock.nanos() + random.nextLong(MOST_THINK_NANOS))
        }
        connection.receiveEnd()
    }

    @Test
    fun `Little's law holds at the queue, at the workers and for the clients`() {
        val length = 4.seconds
        measure(length)
        val windows = table("windows.csv")
        val queue = table("queue.csv")
        assertEquals(queue.sum("arrivals"), windows.sum("requests"))

        val queueingTime = windows.totalSeconds("queueing_time") / windows.sum("requests")
        assertTrue(queueingTime > 0.001, "jobs have waited: $queueingTime s")
        assertClose(
            summaryNumber("queue", "arrivals_per_s") * queueingTime,
            summaryNumber("queue", "mean"),
            tolerance = 0.01,
        )

        val busyWorkers = table("utilization.csv").filter { it["kind"] == "worker" }
        val whole = { row: Map<String, String> -> row["epoch_s"] in queue.drop(1).dropLast(1).map { it["epoch_s"] } }
        assertClose(
            windows.filter(whole).totalSeconds("service_time"),
            busyWorkers.filter(whole).sum("utilization"),
            tolerance = 0.01,
        )

        val thinkTime = windows.totalSeconds("client_rtt_and_think_time", count = "client_rtt_and_think_time_count")
        assertClose(
            CLIENTS * length.inWholeSeconds.toDouble(),
            windows.totalSeconds("response_time") + thinkTime,
            tolerance = 0.01,
        )
    }

    @Test
    fun `the queue looked at ten times a second is as long as the time-weighted one`() {
        measure(10.seconds)
        val seconds = table("queue.csv").drop(1).dropLast(1)
        assertClose(seconds.sum("queue_length_mean"), seconds.sum("queue_length_sampled_mean"), tolerance = 0.1)
        assertTrue(seconds.all { it.getValue("queue_length_max").toInt() in 1..CLIENTS })
    }

    @Test
    fun `the files count the same requests`() {
        measure(3.seconds)
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
    @UsesSockets
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
        const val MOST_THINK_NANOS = 2_000_000L
    }
}
