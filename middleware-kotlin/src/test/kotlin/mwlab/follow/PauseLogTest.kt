package mwlab.follow

import mwlab.metrics.EpochClock
import mwlab.net.NanoClock
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
            val afterMs = System.currentTimeMillis()
            Thread.sleep(50)
            return@use afterMs
        }
        val collections = rows().filter { (_, _, cause) -> cause.startsWith("gc: ") }
        assertTrue(collections.isNotEmpty(), path.readLines().toString())
        for ((startMs, lengthMs, _) in collections) {
            assertTrue(startMs > beforeMs - 1, "$startMs ms, asked for after $beforeMs ms")
            // the thread may have been asleep until a nap after its end, and the end is told in whole milliseconds
            assertTrue(startMs < afterMs + 2, "$startMs ms for $lengthMs ms, it was over at $afterMs ms")
            assertTrue(lengthMs > 0.2, "$lengthMs ms")
        }
    }

    @Test
    fun `time in which the process did not run is a hiccup`() {
        val skipped = AtomicLong()
        val clock = EpochClock(NanoClock { System.nanoTime() + skipped.get() })
        PauseLog(path, clock).use {
            Thread.sleep(50)
            skipped.set(300 * NANOS_PER_MS.toLong())
            Thread.sleep(50)
        }
        val (_, lengthMs, cause) = rows().maxBy { (_, lengthMs, _) -> lengthMs }
        assertEquals("hiccup", cause)
        assertTrue(lengthMs in 298.0..400.0, "$lengthMs ms of 300")
        assertTrue(rows().all { (_, lengthMs, cause) -> cause != "hiccup" || lengthMs > 2 }, "${rows()}")
    }

    private companion object {
        const val NANOS_PER_MS = 1e6
    }
}
