package mwlab.loadgen.report

import mwlab.loadgen.Run
import mwlab.loadgen.decodeHistogram
import mwlab.loadgen.fixture
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunHealth
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.result.RunResult
import mwlab.loadgen.statsOf
import org.HdrHistogram.Histogram
import org.HdrHistogram.HistogramLogReader
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals

class HdrFilesTest {
    @TempDir
    lateinit var directory: File

    /** The sets of the fixture's first run, in the times of its log. */
    private fun runOfFixture(): RunResult {
        val sets = decodeHistogram(fixture("hdr_SET_command_run_1.hgrm").trim().substringAfterLast(','))
        val second = SecondStats().apply { this[Operation.SET] += statsOf(sets) }
        val healthy = RunHealth(0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0)
        return RunResult(
            RunPeriod(1795224166358, 4_001_000),
            listOf(second),
            emptyList(),
            false,
            healthy,
            emptyMap(),
        )
    }

    @Test
    fun `the percentiles are memtier's, character for character`() {
        HdrFiles("$directory/hdr") { }.write(runOfFixture(), 1)
        assertEquals(fixture("hdr_SET_command_run_1.txt"), File(directory, "hdr_SET_command_run_1.txt").readText())
    }

    @Test
    fun `the log has memtier's header and is read by HdrHistogram's reader`() {
        HdrFiles("$directory/hdr") { }.write(runOfFixture(), 1)
        val log = File(directory, "hdr_SET_command_run_1.hgrm")
        val memtiers = fixture("hdr_SET_command_run_1.hgrm")
        assertEquals(memtiers.substringBefore("HISTF"), log.readText().substringBefore("HISTF"))
        val decoded = HistogramLogReader(log.inputStream()).nextIntervalHistogram() as Histogram
        assertEquals(decodeHistogram(memtiers.trim().substringAfterLast(',')), decoded)
    }

    @Test
    fun `only requests that occurred get files, and each is reported`() {
        val reports = mutableListOf<String>()
        HdrFiles("$directory/hdr", reports::add).write(runOfFixture(), 1)
        assertEquals(
            setOf(
                "hdr_FULL_RUN_1.hgrm",
                "hdr_FULL_RUN_1.txt",
                "hdr_SET_command_run_1.hgrm",
                "hdr_SET_command_run_1.txt",
            ),
            directory.list().orEmpty().toSet(),
        )
        assertEquals(
            "Writing Full Run command HDR latency histogram results to $directory/hdr_FULL_RUN_1.txt...",
            reports[0],
        )
        assertEquals(4, reports.size)
    }
}
