package mwlab.follow

import mwlab.metrics.EpochClock
import mwlab.net.NanoClock
import mwlab.testing.eventually
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong
import kotlin.io.path.readLines
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class PauseLogTest {
    @TempDir
    lateinit var directory: Path

    private val path by lazy { directory.resolve("pauses.csv") }

    /** Start in milliseconds since 1970, length in milliseconds, cause. */
    private fun rows(): List<Triple<Double, Double, String>> = path.readLines().drop(1).map { line ->
        val (start, length, cause) = line.split(',')
        Triple(start.toLong() / NANOS_PER_MS, length.toLong() / NANOS_PER_MS, cause)
    }

    @Test
    fun `a collection of garbage is told with its time`() {
        val beforeMs = System.currentTimeMillis()
        val afterMs = PauseLog(path, EpochClock(NanoClock.SYSTEM)).use {
            repeat(10) { System.gc() } // one alone may fit into a nap
            System.currentTimeMillis()
        }
        val collections = rows().filter { (_, _, cause) -> cause.startsWith("gc: ") }
        // On a busy machine the thread may itself be held up, and tell some of them later.
        val isToldInTime = collections.any { (startMs, lengthMs, _) ->
            startMs + lengthMs > beforeMs - 1 && startMs < afterMs + 2
        }
        assertTrue(isToldInTime, "${path.readLines()}, asked for between $beforeMs ms and $afterMs ms")
        for ((_, lengthMs, _) in collections) assertTrue(lengthMs > 0.2, "$lengthMs ms")
    }

    @Test
    fun `time in which the process did not run is a hiccup`() {
        val now = AtomicLong()
        val readings = AtomicLong()
        val clock = EpochClock({ now.get().also { readings.incrementAndGet() } }, offsetNanos = 0)
        PauseLog(path, clock).use {
            // By then the thread has begun its first nap of a millisecond.
            eventually("the thread reads the clock again and again") { readings.get() > 10 }
            now.set(300 * NANOS_PER_MS.toLong())
        }
        assertEquals(listOf(Triple(1.0, 299.0, "hiccup")), rows())
    }

    private companion object {
        const val NANOS_PER_MS = 1e6
    }
}
