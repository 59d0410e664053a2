package mwlab.loadgen.client

import mwlab.loadgen.Generation
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** `--think-time`: what lies between a reply and the next request is as long on average as was asked. */
class ThinkTimeTest {
    @TempDir
    lateinit var directory: File

    /** Between the last byte of each reply and the next request of the same client, in ms. */
    private fun thinkTimesMs(words: String): List<Double> {
        val run = Generation.against("$words --follow=1/1 --follow-file-prefix=$directory/run")
        assertEquals(0, run.status, run.err)
        val lines = File(directory, "run-followed.csv").readLines().map { it.split(',') }
        val (sent, last) = listOf("sent_ns", "last_byte_ns").map { lines.first().indexOf(it) }
        return lines.drop(1).groupBy { it[0] }.values.flatMap { rows ->
            val inOrder = rows.sortedBy { it[1].toLong() }
            inOrder.zipWithNext { row, next -> (next[sent].toLong() - row[last].toLong()) / 1e6 }
        }
    }

    /** Longer pauses are those of the process, and are not all made up for. */
    private fun meanMs(times: List<Double>, askedMs: Double) = times.map { it.coerceAtMost(101 * askedMs) }.average()

    @ParameterizedTest
    @ValueSource(doubles = [0.5, 5.0])
    fun `think times that are all the same have that mean, though timers are late`(askedMs: Double) {
        val times = thinkTimesMs("-t 1 -c 4 --test-time=2 --think-time=$askedMs")
        assertTrue(times.size > 1000, "${times.size}")
        assertEquals(askedMs, meanMs(times, askedMs), askedMs / 100)
    }

    @Test
    fun `exponential think times have their mean`() {
        val times = thinkTimesMs("-t 1 -c 8 --test-time=2 --think-time=exp:1 --seed=1")
        assertTrue(times.size > 5000, "${times.size}")
        assertEquals(1.0, meanMs(times, askedMs = 1.0), 0.05)
        assertTrue(times.count { it > 2 } in times.size / 12..times.size / 5, "e^-2 of them are that long")
    }
}
