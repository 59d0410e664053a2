package mwlab.loadgen.report

import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.measure.mergeSeconds
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunHealth
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.result.RunResult
import mwlab.options.demand
import kotlin.test.Test
import kotlin.test.assertEquals

class SectionTest {
    private val healthy = RunHealth(0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0)

    private fun second(sets: Int, responseTimeUs: Long = 1000) = SecondStats().apply {
        repeat(sets) { this[Operation.SET].record(responseTimeUs, 0, 0, bytesTx = 1024, bytesRx = 0) }
    }

    private fun run(vararg setsPerSecond: Int): RunResult {
        val seconds = setsPerSecond.map { second(it) }
        return RunResult(RunPeriod(5000, 2_000_000), seconds, emptyList(), false, healthy, emptyMap())
    }

    @Test
    fun `a single run is one section with rates over its duration`() {
        val section = sectionsOf(listOf(run(10, 30)), printAllRuns = true).single()
        assertEquals("ALL STATS", section.title)
        assertEquals(40, section.sets.stats.count)
        assertEquals(20.0, section.totals.rates.ops)
        assertEquals(20.0, section.totals.rates.kbTx)
        assertEquals(listOf(10L, 30L), section.sets.series.map { it.count })
    }

    @Test
    fun `several runs give best, worst and average, and each on demand`() {
        val runs = listOf(run(10), run(30), run(20))
        val sections = sectionsOf(runs, printAllRuns = false)
        assertEquals(
            listOf("BEST RUN RESULTS", "WORST RUN RESULTS", "AGGREGATED AVERAGE RESULTS (3 runs)"),
            sections.map { it.title },
        )
        assertEquals(listOf(30L, 10L, 60L), sections.map { it.totals.stats.count })
        assertEquals(listOf(15.0, 5.0, 10.0), sections.map { it.totals.rates.ops })
        assertEquals(emptyList(), sections.last().totals.series)
        val all = sectionsOf(runs, printAllRuns = true)
        assertEquals(listOf("RUN #1 RESULTS", "RUN #2 RESULTS", "RUN #3 RESULTS"), all.take(3).map { it.title })
    }

    @Test
    fun `parts of different length merge second by second`() {
        val merged = mergeSeconds(listOf(listOf(second(1), second(2)), listOf(second(10))))
        assertEquals(listOf(11L, 2L), merged.map { it.total().count })
    }
}
