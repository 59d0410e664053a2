package mwlab.loadgen.search

import mwlab.loadgen.VirtualGeneration
import mwlab.loadgen.options.Objective
import mwlab.loadgen.report.Extras
import mwlab.loadgen.report.JsonReport
import mwlab.loadgen.report.sectionsOf
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds

/** `--find-rate` on a server in virtual time. */
class FindRateTest {
    private val objective = Objective.parse("p50<200ms")

    private fun at(ratePerS: Double) =
        VirtualGeneration("-t 1 -c 1 --test-time=3 --seed=1 --arrivals=fixed --rate=$ratePerS", { 2.milliseconds })

    private fun find(): FoundRate = findRate(
        firstPerS = 50.0,
        measure = { _, ratePerS -> at(ratePerS).measure() },
        judge = { ratePerS, run -> SearchStep.of(ratePerS, run, objective) },
        report = { _, _ -> },
    )

    @Test
    fun `the highest rate for an objective is found and reported`() {
        // One client that is answered after 2 ms can be asked 500 times a second; more make the median grow during the run.
        val found = find()
        val passing = checkNotNull(found.passingPerS)
        assertTrue(found.isDone)
        assertTrue(passing in 450.0..650.0, "$passing")
        assertTrue(checkNotNull(found.failingPerS) <= passing * (1 + RateSearch.PRECISION))
        assertEquals(passing, found.run?.opsPerS ?: 0.0, passing / 5)
        assertTrue("highest rate that passed: %.1f/s".format(passing) in found.table(objective).last())
        assertTrue(found.steps.any { it.reason == "too slow" })
    }

    @Test
    fun `the report names the objective and every step`() {
        val found = find()
        val result = TestResult().apply {
            this.found = found
            runs += checkNotNull(found.run)
        }
        val options = VirtualGeneration(
            "-t 1 -c 1 --test-time=3 --arrivals=fixed --rate=50 --find-rate=p50<200ms",
        ).options
        val text = StringBuilder()
        JsonReport(options, text).write(sectionsOf(result.runs, printAllRuns = false)) {
            Extras(options, baseSeed = 1).write(it, result)
        }
        assertTrue("\"Objective\": \"p50 < 200 ms\"" in text && "\"Passed\": \"false\"" in text)
        assertEquals(found.steps.size, Regex("\"Passed\":").findAll(text).count())
    }
}
