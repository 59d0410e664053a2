package mwlab.loadgen.report

import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.options.Load
import mwlab.loadgen.options.Options
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class ProgressTest {
    private val bytes = ByteArrayOutputStream()
    private val options = Options(load = Load(threads = 2, clients = 32, testTimeS = 10))

    private fun progress() = Progress(PrintStream(bytes), options, runNumber = 1, clock = { NOW_NANOS })

    private fun limit(secondsAgo: Int) = RunLimit(NOW_NANOS - secondsAgo * 1_000_000_000L)

    @Test
    fun `the line is memtier's`() {
        val totals =
            LiveTotals(
                sent = 5000,
                replies = 5000,
                errors = 0,
                bytes = 5L shl 21,
                sumUs = 10_000_000,
                connectionErrors = 0,
            )
        progress().tick(totals, threads = 2, limit(secondsAgo = 5))
        val expected = "[RUN #1 50%,   5 secs]  2 threads 32 conns:        5000 ops,    1000 (avg:    1000) ops/sec, " +
            "2.00MB/sec (avg: 2.00MB/sec),  2.00 (avg:  2.00) msec latency\r"
        assertEquals(expected, bytes.toString())
    }

    @Test
    fun `connection errors stand where memtier 2_3 has them`() {
        progress().tick(LiveTotals.NONE.copy(connectionErrors = 3), threads = 1, limit(secondsAgo = 1))
        assertTrue(" 1 threads 32 conns 3 conn errors: " in bytes.toString(), bytes.toString())
    }

    @Test
    fun `a message gets a line of its own`() {
        val progress = progress()
        progress.message("before")
        progress.tick(LiveTotals.NONE, threads = 2, limit(secondsAgo = 1))
        progress.message("between")
        assertTrue(Regex("before\n\\[RUN #1 [^\n]*\r\nbetween\n").matches(bytes.toString()), bytes.toString())
    }

    private companion object {
        const val NOW_NANOS = 100_000_000_000L
    }
}
