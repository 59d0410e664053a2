package mwlab.loadgen.client

import mwlab.loadgen.VirtualGeneration
import mwlab.loadgen.rowsOf
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** `--rate-limiting`: each client of a closed loop has a rate of its own. In virtual time. */
class RateOfClientTest {
    @TempDir
    lateinit var directory: File

    private val fast: (Double) -> Duration = { 0.1.milliseconds }

    /** When each request was due and when it was sent, in microseconds since the first was sent, in the order of the latter. */
    private fun timesOf(words: String, serviceTime: (Double) -> Duration = fast): List<Pair<Long, Long>> {
        val run = VirtualGeneration("$words --follow=1/1 --follow-file-prefix=$directory/load", serviceTime).run()
        assertEquals(0, run.status, run.err)
        val rows = rowsOf(File(directory, "load-followed.csv"))
        val firstNanos = rows.minOf { it.getValue("sent_ns").toLong() }
        fun us(row: Map<String, String>, column: String) = (row.getValue(column).toLong() - firstNanos) / 1000
        return rows.map { us(it, "intended_ns") to us(it, "sent_ns") }.sortedBy { (_, sent) -> sent }
    }

    private fun List<Pair<Long, Long>>.inStep() = zipWithNext().count { (a, b) -> b.second - a.second < 1000 }

    @ParameterizedTest
    @ValueSource(strings = ["100", "33.3333"])
    fun `a rate is kept, also one with a fraction`(rate: String) {
        val run = VirtualGeneration("-t 2 -c 4 --test-time=3 --rate-limiting=$rate").run()
        assertEquals(0, run.status, run.err)
        // Each of the 8 clients may begin its last interval before the end.
        assertEquals(3 * 8 * rate.toDouble(), run.number("Totals", "Count"), 8.0)
        assertTrue("\"rate_limit\": $rate\n" in run.json, "as memtier has it, but for the fraction")
    }

    @Test
    fun `requests leave at their times`() {
        val times = timesOf("-t 1 -c 1 --test-time=1 --rate-limiting=100")
        assertEquals(times.map { it.first }, times.map { it.second })
        assertTrue(times.zipWithNext().all { (a, b) -> b.first - a.first in 9_999..10_001 }, "$times")
    }

    @Test
    fun `clients do not send in step, in whichever thread they are`() {
        val first = timesOf("-t 2 -c 4 --test-time=1 --rate-limiting=10").take(8)
        assertTrue(first.last().second in 40_000..<100_000, "each begins in the first interval: $first")
        assertTrue(first.inStep() <= 1, "$first")
    }

    @Test
    fun `clients that were held up together catch up and keep their own times`() {
        val times = timesOf("-t 1 -c 8 --test-time=2 --rate-limiting=20") { second ->
            // The server does nothing from 0.4 s to 0.7 s.
            if (second in 0.4..0.7) (0.7 - second).seconds + 0.1.milliseconds else 0.1.milliseconds
        }
        assertEquals(320, times.size, "nothing is left out")
        val late = times.map { (due, sent) -> sent - due }
        assertEquals(0, late.min(), "none is early")
        assertTrue(late.max() > 200_000, "sent once the replies to what came before are there: ${late.max()}")
        val phases = times.map { (due, _) -> due % 50_000 }
        assertEquals(8, phases.toSet().size)
        assertTrue(times.takeLast(8).inStep() <= 1, "${times.takeLast(8)}")
    }

    @Test
    fun `requests that a stall kept from being sent are counted, and count with the time that they have waited`() {
        val run = VirtualGeneration("-t 1 -c 1 --test-time=7 --rate-limiting=100 --print-percentiles=90", { second ->
            // The server does nothing from second 2 to second 5.
            if (second in 2.0..5.0) (5.0 - second).seconds + 0.1.milliseconds else 0.1.milliseconds
        }).run()
        assertEquals(0, run.status, run.err)
        val omitted = run.number("middleware-lab", "Omitted sends")
        assertEquals(700.0, run.number("Totals", "Count") + omitted, 1.0)
        assertEquals(200.0, omitted, 3.0)
        assertTrue("warning: ${omitted.toInt()} requests were due and never sent" in run.err, run.err)
        // Of 700 requests 300 waited for up to 3 s, one as long as the other: a tenth of all for at least 2.3 s.
        val intended = arrayOf("middleware-lab", "Latency from intended send time", "Totals")
        assertEquals(2300.0, run.number(*intended, "p90.0"), 30.0)
    }

    @Test
    fun `requests without a reply at the end of the run count with the time that they have waited`() {
        val words = "-t 1 -c 1 --test-time=4 --rate-limiting=100 --print-percentiles=90"
        val run = VirtualGeneration(words, { second -> if (second < 2) 0.1.milliseconds else 1000.seconds }).run()
        assertEquals(1.0, run.number("middleware-lab", "Unanswered requests"))
        assertEquals(199.0, run.number("middleware-lab", "Omitted sends"), 2.0)
        val intended = arrayOf("middleware-lab", "Latency from intended send time", "Totals")
        assertEquals(4000.0, run.number(*intended, "Max Latency"), 40.0)
        assertEquals(3600.0, run.number(*intended, "p90.0"), 40.0)
    }

    @Test
    fun `a request counts in the second in which it was due, whether it was answered, left unanswered or never sent`() {
        val words = "-t 1 -c 20 --test-time=4 --rate-limiting=5"
        val run = VirtualGeneration(words, { second -> if (second < 2) 0.1.milliseconds else 1000.seconds }).measure()
        assertEquals(20, run.health.unanswered)
        val waits = run.seconds.map { it.total().intendedResponseTimes.toHistogram().totalCount }
        assertEquals(List(4) { 100L }, waits.take(4))
    }

    @Test
    fun `a timer that fires after the end omits nothing`() {
        val words = "-t 1 -c 4 --test-time=1 --rate-limiting=100"
        val run = VirtualGeneration(words, timersAreLateBy = 2.milliseconds).run()
        assertEquals(0.0, run.number("middleware-lab", "Omitted sends"))
    }

    @Test
    fun `how late requests were stands beside response times, not in them`() {
        val run = VirtualGeneration("-t 1 -c 1 --test-time=2 --rate-limiting=20", { 100.milliseconds }).run()
        val latency = run.number("Totals", "Average Latency")
        assertEquals(100.0, latency, 0.1, "half of what is asked for can be sent")
        val intended = run.number("middleware-lab", "Latency from intended send time", "Totals", "Average Latency")
        assertTrue(intended > 2 * latency, "$intended")
    }
}
