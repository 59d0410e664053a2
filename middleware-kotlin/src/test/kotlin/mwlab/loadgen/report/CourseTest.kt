package mwlab.loadgen.report

import mwlab.json.JsonLayout
import mwlab.json.JsonWriter
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunHealth
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.result.RunResult
import kotlin.test.Test
import kotlin.test.assertEquals

class CourseTest {
    private fun second(vararg timesUs: Long) = SecondStats().apply {
        for (timeUs in timesUs) {
            this[Operation.GET].record(timeUs, 1, 1, 1, 1)
            slices.record(timeUs * 1000, timeUs)
        }
        pack()
    }

    @Test
    fun `slices and histograms of every second stand in one line each`() {
        val run = RunResult(
            period = RunPeriod(0, 2_000_000),
            seconds = listOf(second(90, 100, 100, 300_001), second()),
            clients = emptyList(),
            interrupted = false,
            health = RunHealth(0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0),
            errorLines = emptyMap(),
        )
        val json = buildString { JsonWriter(this, JsonLayout.ONE_LINE).let { it.obj { writeCourse(it, run) } } }
        val rest = List(16) { 0 }.joinToString(",")
        assertEquals(
            """{"Slices":{"Length":100,"Counts":[3,0,0,1,$rest],""" +
                """"Accumulated Latencies":[290,0,0,300001,$rest]},""" +
                """"Histograms":{"Sets":[[[],[]],[[],[]]],"Gets":[[[90,10,300955],[1,2,1]],[[],[]]]}}""",
            json,
        )
    }
}
