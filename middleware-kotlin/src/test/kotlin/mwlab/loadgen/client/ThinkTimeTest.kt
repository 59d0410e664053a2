package mwlab.loadgen.client

import mwlab.loadgen.VirtualGeneration
import mwlab.loadgen.rowsOf
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.io.File
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds

/** `--think-time`: what lies between a reply and the next request is as long on average as was asked. In virtual time. */
class ThinkTimeTest {
    @TempDir
    lateinit var directory: File

    /** Between the last byte of each reply and the next request of the only client, in ms, with timers that are [late]. */
    private fun thinkTimesMs(words: String, late: Duration): List<Double> {
        val follow = "--follow=1/1 --follow-file-prefix=$directory/load"
        val run = VirtualGeneration("-t 1 -c 1 $words $follow", timersAreLateBy = late).run()
        assertEquals(0, run.status, run.err)
        return rowsOf(File(directory, "load-followed.csv")).zipWithNext { row, next ->
            (next.getValue("sent_ns").toLong() - row.getValue("last_byte_ns").toLong()) / 1e6
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = [0.5, 5.0])
    fun `think times that are all the same have that mean, though timers are late`(askedMs: Double) {
        val times = thinkTimesMs("--test-time=5 --think-time=$askedMs", late = 80.microseconds)
        assertTrue(times.any { it > askedMs }, "some timers are late")
        assertEquals(askedMs, times.average(), askedMs / 100)
    }
}
