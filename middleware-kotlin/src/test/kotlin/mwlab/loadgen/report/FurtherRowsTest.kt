package mwlab.loadgen.report

import mwlab.loadgen.Generation
import mwlab.testing.UsesSockets
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

@UsesSockets
class FurtherRowsTest {
    private fun rowsOf(run: Generation) = Regex("\n\t\t,?\"([A-Za-z ]+)\":\\{\n\t\t\t\"Count\"").findAll(run.json)
        .map { it.groupValues[1] }.toList()

    @Test
    fun `memtier's workloads have memtier's rows only`() {
        val run = Generation.against("-t 1 -c 1 -n 22")
        assertEquals(listOf("Sets", "Gets", "Waits", "Totals"), rowsOf(run))
        assertTrue("\"Mix\"" !in run.json && "cas_badval" !in run.json)
    }

    @Test
    fun `an operation that was used has a row, a distribution and a count of errors`() {
        val run = Generation.against("-t 1 -c 1 -n 40 --mix=set:1,delete:1 --key-minimum=1 --key-maximum=3 --seed=2")
        assertEquals(0, run.status, run.err)
        assertEquals(listOf("Sets", "Gets", "Waits", "Deletes", "Totals"), rowsOf(run))
        assertEquals(40.0, run.number("Sets", "Count") + run.number("Deletes", "Count"))
        assertTrue(run.number("Deletes", "Hits/sec") > 0 && run.number("Deletes", "Misses/sec") > 0)
        assertTrue("\"DELETE\":[" in run.json)
        assertEquals(1.0, run.number("middleware-lab", "Mix", "delete"))
    }

    @Test
    fun `an operation of which every request failed has a row, too`() {
        val run = Generation.against("-t 1 -c 1 -n 40 --mix=set:1,touch:1 --seed=2")
        assertEquals(0, run.status, run.err)
        assertEquals(listOf("Sets", "Gets", "Waits", "Touches", "Totals"), rowsOf(run))
        assertTrue(run.number("middleware-lab", "Error replies", "Touches") > 0, "the fake server knows no touch")
    }

    @Test
    fun `the average of several runs has the row`() {
        val run = Generation.against("-t 1 -c 1 -n 20 --mix=set:1,delete:1 --run-count=2")
        assertEquals(0, run.status, run.err)
        val average = run.json.substringAfter("AGGREGATED AVERAGE RESULTS")
        assertTrue("\"Deletes\":" in average)
    }
}
