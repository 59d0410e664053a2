package mwlab.loadgen.client

import mwlab.loadgen.Generation
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.io.File
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** `--rate-limiting`: each client of a closed loop has a rate of its own. */
class RateOfClientTest {
    @TempDir
    lateinit var directory: File

    /** When each request was due and when it was sent, in microseconds since the start, in the order of the latter. */
    private fun timesOf(words: String, answer: (String) -> Unit = {}): List<Pair<Long, Long>> {
        val file = File(directory, "samples.csv")
        val run = Generation.against("$words --sample=1/1 --sample-file=$file") { line, reply ->
            reply.also { answer(line) }
        }
        assertEquals(0, run.status, run.err)
        val rows = file.readLines().drop(1).map { it.split(',') }
        return rows.map { it[0].toLong() to it[1].toLong() }.sortedBy { (_, sent) -> sent }
    }

    private fun List<Pair<Long, Long>>.inStep() = zipWithNext().count { (a, b) -> b.second - a.second < 1000 }

    @ParameterizedTest
    @ValueSource(strings = ["100", "33.3333"])
    fun `a rate is kept, also one with a fraction`(rate: String) {
        val run = Generation.against("-t 2 -c 4 --test-time=3 --rate-limiting=$rate")
        assertEquals(0, run.status, run.err)
        val expected = 3 * 8 * rate.toDouble()
        assertEquals(expected, run.number("Totals", "Count"), expected / 100)
        assertTrue("\"rate_limit\": $rate\n" in run.json, "as memtier has it, but for the fraction")
    }

    @Test
    fun `clients do not send in step, in whichever thread they are`() {
        val first = timesOf("-t 2 -c 4 --test-time=1 --rate-limiting=10 --seed=1").take(8)
        assertTrue(first.last().second in 40_000..110_000, "each begins in the first interval: $first")
        assertTrue(first.inStep() <= 1, "$first")
    }

    @Test
    fun `without a seed two processes begin at different moments`() {
        val begins = List(5) { timesOf("-t 1 -c 1 --test-time=1 --rate-limiting=5").first().first }
        assertTrue(begins.max() - begins.min() > 10_000, "$begins")
    }

    @Test
    fun `clients that were held up together catch up and keep their own times`() {
        val begin = AtomicLong()
        val times = timesOf("-t 1 -c 8 --test-time=2 --rate-limiting=20 --seed=1") {
            begin.compareAndSet(0, System.nanoTime())
            val sinceMs = (System.nanoTime() - begin.get()) / 1_000_000
            if (sinceMs in 400..700) Thread.sleep(700 - sinceMs)
        }
        assertEquals(320.0, times.size.toDouble(), 3.0, "nothing is left out")
        val late = times.map { (due, sent) -> sent - due }
        assertTrue(late.min() >= 0, "none is early: ${late.min()}")
        assertTrue(late.max() > 150_000, "sent once the replies to what came before are there: ${late.max()}")
        val phases = times.map { (due, _) -> due % 50_000 }
        assertEquals(phases.take(8).toSet(), phases.toSet())
        assertTrue(times.takeLast(8).inStep() <= 1, "${times.takeLast(8)}")
    }

    @Test
    fun `how late requests were stands beside response times, not in them`() {
        val run = Generation.against("-t 1 -c 1 --test-time=2 --rate-limiting=20") { _, reply ->
            reply.also { Thread.sleep(100) }
        }
        val latency = run.number("Totals", "Average Latency")
        assertEquals(100.0, latency, 20.0, "half of what is asked for can be sent")
        val intended = run.number("middleware-lab", "Latency from intended send time", "Totals", "Average Latency")
        assertTrue(intended > 2 * latency, "$intended")
    }
}
