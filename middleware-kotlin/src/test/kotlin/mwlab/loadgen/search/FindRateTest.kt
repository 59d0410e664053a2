package mwlab.loadgen.search

import mwlab.loadgen.VirtualGeneration
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Objective
import mwlab.loadgen.report.Extras
import mwlab.loadgen.report.JsonReport
import mwlab.loadgen.report.sectionsOf
import mwlab.testing.VirtualMemcached
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds

/** `--find-rate` on a server in virtual time. */
class FindRateTest {
    @Test
    fun `the highest rate for an objective is found and reported`() {
        // One client that is answered after 2 ms can be asked 500 times a second; more make the median grow during the run.
        val passing = checkNotNull(FOUND.passingPerS)
        assertTrue(FOUND.isDone)
        assertTrue(passing in 450.0..650.0, "$passing")
        assertTrue(checkNotNull(FOUND.failingPerS) <= passing * (1 + RateSearch.PRECISION))
        assertEquals(passing, FOUND.run?.opsPerS ?: 0.0, passing / 5)
        assertTrue("highest rate that passed: ${passing.fixed(1)}/s" in FOUND.table(OBJECTIVE).last())
        assertTrue(FOUND.steps.any { it.reason == "too slow" })
    }

    @Test
    fun `a rate at which a connection broke does not pass, though its client came back`() {
        var requests = 0
        val server = VirtualMemcached({ 2.milliseconds }) { _, reply -> if (++requests == 5) null else reply }
        val words = "-t 1 -c 1 --test-time=3 --arrivals=fixed --rate=50 --reconnect-on-error"
        val run = VirtualGeneration(words, connect = server::connectOn).measure()
        assertEquals("1 errors", SearchStep.of(50.0, run, OBJECTIVE).reason)
    }

    @Test
    fun `the report names the objective and every step`() {
        val result = TestResult().apply {
            this.found = FOUND
            runs += checkNotNull(FOUND.run)
        }
        val options = VirtualGeneration(
            "-t 1 -c 1 --test-time=3 --arrivals=fixed --rate=50 --find-rate=p50<200ms",
        ).options
        val text = StringBuilder()
        JsonReport(options, text).write(sectionsOf(result.runs, printAllRuns = false)) {
            Extras(options, baseSeed = 1).write(it, result)
        }
        assertTrue("\"Objective\": \"p50 < 200 ms\"" in text && "\"Passed\": \"false\"" in text)
        assertEquals(FOUND.steps.size, Regex("\"Passed\":").findAll(text).count())
    }

    private companion object {
        val OBJECTIVE = Objective.parse("p50<200ms")

        fun at(ratePerS: Double) =
            VirtualGeneration("-t 1 -c 1 --test-time=3 --seed=1 --arrivals=fixed --rate=$ratePerS", { 2.milliseconds })

        /** Takes a while: both tests look at the same search. */
        val FOUND: FoundRate by lazy {
            findRate(
                firstPerS = 50.0,
                measure = { _, ratePerS -> at(ratePerS).measure() },
                judge = { ratePerS, run -> SearchStep.of(ratePerS, run, OBJECTIVE) },
                report = { _, _ -> },
            )
        }
    }
}
