package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.VirtualGeneration
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** When clients send, in virtual time. */
class PacingTest {
    private fun run(words: String, serviceTimeMs: Double = 0.1): Generation {
        val run = VirtualGeneration(words, { serviceTimeMs.milliseconds }).run()
        return run.also { assertEquals(0, it.status, it.err) }
    }

    @Test
    fun `a thinking client waits between reply and request`() {
        val count = run("-t 1 -c 2 --test-time=1 --think-time=50").number("Totals", "Count")
        assertEquals(40.0, count, "2 clients, a request each 50.1 ms")
    }

    @Test
    fun `a limited client keeps its rate`() {
        val count = run("-t 1 -c 2 --test-time=1 --rate-limiting=100").number("Totals", "Count")
        assertEquals(200.0, count, 2.0)
    }

    @Test
    fun `an open loop keeps its rate whatever the number of clients`() {
        val count = run("-t 2 -c 5 --test-time=20 --arrivals=poisson --rate=200").number("Totals", "Count")
        assertEquals(4000.0, count, 4 * sqrt(4000.0))
    }

    @Test
    fun `an open loop counts the time that requests waited for a slow server before they were sent`() {
        val run = run("-t 1 -c 1 --test-time=10 --arrivals=poisson --rate=40", serviceTimeMs = 50.0)
        val actual = run.number("Totals", "Average Latency")
        val intended = run.number("middleware-lab", "Latency from intended send time", "Totals", "Average Latency")
        assertEquals(50.0, actual, 0.1)
        assertTrue(intended > 2 * actual, "service 50 ms, arrivals every 25 ms: $intended")
        assertEquals(200.0, run.number("middleware-lab", "Unsent arrivals"), 4 * sqrt(400.0))
    }

    @Test
    fun `arrivals that were never sent count with their wait until the end`() {
        val run = run("-t 1 -c 1 --test-time=2 --arrivals=poisson --rate=1000", serviceTimeMs = 500.0)
        val latency = listOf("middleware-lab", "Latency from intended send time", "Totals").toTypedArray()
        assertTrue(run.number("Totals", "Count") <= 5, "two a second are answered")
        assertEquals(1996.0, run.number("middleware-lab", "Unsent arrivals"), 4 * sqrt(2000.0))
        // Arrivals wait for up to two seconds, one as long as the other: half of them at least a second.
        assertEquals(1000.0, run.number(*latency, "p50.0"), 100.0)
        assertEquals(2000.0, run.number(*latency, "Max Latency"), 100.0)
    }

    @Test
    fun `a request of an open loop without a reply at the end counts with the time that it has waited`() {
        val words = "-t 1 -c 1 --test-time=2 --arrivals=poisson --rate=100"
        val run = VirtualGeneration(words, { second -> if (second < 1) 0.1.milliseconds else 1000.seconds }).run()
        assertEquals(1.0, run.number("middleware-lab", "Unanswered requests"))
        // It was due after 1 s, the run waits for it until 4 s; arrivals that were never sent have waited for 1 s at most.
        val latency = arrayOf("middleware-lab", "Latency from intended send time", "Totals")
        assertEquals(3000.0, run.number(*latency, "Max Latency"), 110.0)
    }

    @Test
    fun `a run reports whether requests were sent as asked for, and warns if they were not`() {
        val free = run("-t 2 -c 20 --test-time=3 --arrivals=poisson --rate=200")
        assertTrue("\"Anderson-Darling statistic\"" in free.json && "\"Lag-1 autocorrelation\"" in free.json)
        assertTrue(free.number("Sent arrivals", "Sums of gaps tested") > 400)
        assertTrue("requests were not sent as asked for" !in free.err, free.err)
        val busy = run("-t 1 -c 1 --test-time=3 --arrivals=poisson --rate=200", serviceTimeMs = 10.0)
        assertTrue("\"As asked\": \"false\"" in busy.json)
        assertTrue("warning: requests were not sent as asked for" in busy.err, busy.err)
    }
}
