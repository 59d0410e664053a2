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
        assertTrue("\"Mix\"" !in run.json)
    }

    @Test
    fun `an operation that was used has a row, a distribution and a count of errors`() {
        val run = Generation.against("-t 1 -c 1 -n 40 --queue-mix=list:1,pop:1") { line, reply ->
            if ("waiting" in line) "VALUE waiting 0 2\r\nq1\r\nEND\r\n" else reply
        }
        assertEquals(0, run.status, run.err)
        assertEquals(listOf("Sets", "Gets", "Waits", "Pops", "Lists", "Totals"), rowsOf(run))
        assertEquals(40.0, run.number("Pops", "Count") + run.number("Lists", "Count"))
        assertTrue(run.number("Lists", "Hits/sec") > 0 && run.number("Pops", "Misses/sec") > 0)
        assertTrue("\"POP\":[" in run.json)
        assertEquals(1.0, run.number("middleware-lab", "Mix", "pop"))
    }

    @Test
    fun `an operation of which every request failed has a row, too`() {
        val run = Generation.against("-t 1 -c 1 -n 40 --queue-mix=send:1,pop:1") { line, reply ->
            if (line.startsWith("get")) "ERROR\r\n" else reply
        }
        assertEquals(0, run.status, run.err)
        assertEquals(listOf("Sets", "Gets", "Waits", "Sends", "Pops", "Totals"), rowsOf(run))
        assertTrue(run.number("middleware-lab", "Error replies", "Pops") > 0)
    }

    @Test
    fun `the average of several runs has the row`() {
        val run = Generation.against("-t 1 -c 1 -n 20 --queue-mix=send:1 --run-count=2")
        assertEquals(0, run.status, run.err)
        val average = run.json.substringAfter("AGGREGATED AVERAGE RESULTS")
        assertTrue("\"Sends\":" in average)
    }
}
