package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.Interruption
import mwlab.loadgen.LoadGenerator
import mwlab.testing.FakeMemcached
import java.io.ByteArrayOutputStream
import java.io.PipedReader
import java.io.PipedWriter
import java.io.PrintStream
import java.net.ServerSocket
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class PacingTest {
    private fun run(words: String, delayMs: Long = 0): Generation {
        val run = Generation.against(words) { _, reply -> reply.also { Thread.sleep(delayMs) } }
        return run.also { assertEquals(0, it.status, it.err) }
    }

    @Test
    fun `a thinking client waits between reply and request`() {
        val count = run("-t 1 -c 2 --test-time=1 --think-time=50").number("Totals", "Count")
        assertTrue(count in 10.0..40.0, "2 clients, 20 requests each at most: $count")
    }

    @Test
    fun `a limited client keeps its rate`() {
        val count = run("-t 1 -c 2 --test-time=1 --rate-limiting=100").number("Totals", "Count")
        assertTrue(count in 50.0..202.0, "$count")
    }

    @Test
    fun `an open loop keeps its rate whatever the number of clients`() {
        val count = run("-t 2 -c 5 --test-time=1 --arrivals=fixed --rate=200").number("Totals", "Count")
        assertTrue(count in 100.0..201.0, "$count")
    }

    @Test
    fun `an open loop counts the time that requests waited for a slow server before they were sent`() {
        val run = run("-t 1 -c 1 --test-time=1 --arrivals=fixed --rate=40", delayMs = 50)
        val actual = run.number("Totals", "Average Latency")
        val intended = run.number("middleware-lab", "Latency from intended send time", "Totals", "Average Latency")
        assertTrue(actual in 50.0..150.0, "$actual")
        assertTrue(intended > 2 * actual, "service 50 ms, arrivals every 25 ms: $intended")
        assertTrue(run.number("middleware-lab", "Unsent arrivals") in 15.0..40.0)
    }

    @Test
    fun `arrivals that were never sent count with their wait until the end`() {
        val run = run("-t 1 -c 1 --test-time=2 --arrivals=fixed --rate=40", delayMs = 500)
        val latency = listOf("middleware-lab", "Latency from intended send time", "Totals").toTypedArray()
        assertTrue(run.number("Totals", "Count") <= 5, "two a second are answered")
        assertTrue(run.number("middleware-lab", "Unsent arrivals") in 60.0..80.0)
        // Arrivals wait for up to two seconds, one as long as the other: half of them at least a second.
        assertEquals(1000.0, run.number(*latency, "p50.0"), 300.0)
        assertEquals(2000.0, run.number(*latency, "Max Latency"), 600.0)
    }

    @Test
    fun `whether requests were sent as asked is told, with a warning if not`() {
        val free = run("-t 2 -c 20 --test-time=3 --seed=1 --arrivals=poisson --rate=200")
        assertTrue("\"Anderson-Darling statistic\"" in free.json && "\"Lag-1 autocorrelation\"" in free.json)
        assertTrue(free.number("Sent arrivals", "Sums of gaps tested") > 400)
        val busy = run("-t 1 -c 1 --test-time=3 --seed=1 --arrivals=poisson --rate=200", delayMs = 10)
        assertTrue("\"As asked\": \"false\"" in busy.json)
        assertTrue("warning: requests were not sent as asked for" in busy.err, busy.err)
    }

    @Test
    fun `warm-up and cool-down stay out of totals but not out of the series`() {
        val run = run("-t 1 -c 1 --test-time=3 --warm-up=1 --cool-down=1 --think-time=20")
        val total = run.number("Totals", "Count")
        val series = run.json.substringAfter(
            "\"Totals\"",
        ).substringAfter("\"Time-Serie\"").substringBefore("\"Percentile")
        val perSecond = Regex("\"Count\": (\\d+)").findAll(series).map { it.groupValues[1].toDouble() }.toList()
        assertEquals(perSecond[1], total)
        assertTrue(perSecond[0] > 5 && perSecond[2] > 5, "$perSecond")
        assertEquals(total, run.number("Totals", "Ops/sec"))
    }

    @Test
    fun `all clients start at the given second`() {
        val startAt = System.currentTimeMillis() / 1000 + 3
        val run = run("-t 2 -c 2 -n 5 --start-at=$startAt")
        assertEquals(startAt * 1000.0, run.number("Runtime", "Start time"), 1.0)
        assertEquals(listOf("0"), Regex("\"Time-Serie\":\\{\\s+\"(\\d+)\"").find(run.json)?.groupValues?.drop(1))
    }

    @Test
    fun `a staircase adds clients step by step`() {
        val words = "-t 1 -c 4 --clients-start=1 --clients-step=2 --step-duration=1 --test-time=3 --think-time=20"
        val run = run(words)
        val active = Regex("\"Clients per thread\": (\\d+)").findAll(run.json.substringAfter("\"Active Clients\""))
        assertEquals(listOf("1", "3", "4"), active.map { it.groupValues[1] }.toList())
        val perSecond = List(3) { run.number("Totals", "Time-Serie", "$it", "Count") }
        assertTrue(3 * perSecond[0] < perSecond[1] + perSecond[2], "$perSecond")
    }

    @Test
    fun `all clients say that they are ready and start at the second that is told`() {
        val startAt = System.currentTimeMillis() / 1000 + 2
        val run = Generation.against("-t 2 -c 2 -n 5 --start-at=-", input = "$startAt.25\n")
        assertEquals(0, run.status, run.err)
        assertEquals("ready", run.out.lines().first())
        assertEquals(startAt * 1000.0 + 250, run.number("Runtime", "Start time"), 1.0)
    }

    @Test
    fun `who is told when to start waits for a server that does not listen yet`() {
        val free = ServerSocket(0).use { it.localPort }
        val server = AtomicReference<ServerSocket>()
        thread {
            Thread.sleep(300)
            server.set(ServerSocket(free))
        }
        val run = Generation.of(free, "-t 1 -c 1 -n 1 --start-at=-", input = "1000\n")
        server.get().close()
        assertEquals("ready", run.out.lines().first(), run.err)
        assertTrue("--start-at has passed" in run.err, run.err)
    }

    @Test
    fun `a start that is not told is a failure`() {
        for (input in listOf("", "soon\n", "-1\n")) {
            val run = Generation.against("-n 1 --start-at=-", input)
            assertEquals(1, run.status)
            assertTrue("no second since 1970 was told" in run.err, run.err)
        }
    }

    @Test
    fun `who waits for the start can be interrupted`() {
        val interruption = Interruption()
        val (reader, writer) = PipedReader() to PipedWriter()
        writer.connect(reader) // nothing is ever written
        FakeMemcached().use { server ->
            val words = "-s 127.0.0.1 -p ${server.address.port} -P memcache_text -n 1 --start-at=-"
            val (out, err) = ByteArrayOutputStream() to ByteArrayOutputStream()
            val generator = LoadGenerator(PrintStream(out), PrintStream(err), interruption, reader.buffered())
            thread {
                while ("ready" !in out.toString()) Thread.sleep(5)
                interruption.request()
            }
            assertEquals(1, generator.run(words.split(' ')))
            assertTrue("interrupted before the start" in err.toString(), err.toString())
        }
    }

    @Test
    fun `a start that has passed is a failure`() {
        val run = Generation.against("-n 1 --start-at=1000")
        assertEquals(1, run.status)
        assertTrue("--start-at has passed" in run.err, run.err)
    }
}
