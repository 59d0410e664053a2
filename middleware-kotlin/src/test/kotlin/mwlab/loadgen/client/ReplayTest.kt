package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.VirtualGeneration
import mwlab.testing.FakeMemcached
import mwlab.testing.UsesSockets
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.measureTimedValue

@UsesSockets
class ReplayTest {
    @TempDir
    lateinit var directory: File

    private val trace by lazy { File(directory, "trace.csv") }
    private val samples by lazy { File(directory, "samples.csv") }

    private fun write(vararg rows: String) =
        trace.writeText("time_s,operation,key,size\n" + rows.joinToString("") { "$it\n" })

    @Test
    fun `requests leave at their times, each once, with their keys and sizes`() {
        write(*Array(20) { number -> "${0.025 * number},${if (number % 4 == 0) "set" else "get"},key-$number,$number" })
        FakeMemcached().use { server ->
            val words = "-t 2 -c 3 --replay=$trace --sample=1/1 --sample-file=$samples"
            val (run, duration) = measureTimedValue { Generation.of(server.address.port, words) }
            assertEquals(0, run.status, run.err)
            assertTrue(duration > 475.milliseconds, "$duration")
            assertEquals(listOf(5.0, 15.0), listOf("Sets", "Gets").map { run.number(it, "Count") })
            assertEquals(List(20) { "key-$it" }.sorted(), server.lines.map { it.split(' ')[1] }.sorted())
            assertEquals(16, server.values.getValue("key-16").length)
            assertTrue("Latency from intended send time" in run.json)
        }
        val rows = samples.readLines().drop(1).map { it.split(',') }.sortedBy { it[0].toLong() }
        assertEquals(List(20) { 25_000L * it to "key-$it" }, rows.map { it[0].toLong() to it[5] })
        assertTrue(rows.all { it[1].toLong() >= it[0].toLong() }, "none is sent early")
    }

    @Test
    fun `speed scales the times, and the clock may end a replay before its end`() {
        write("0,get,a,", "1,get,b,", "1000000,get,c,")
        val words = "-t 2 -c 1 --replay=$trace --replay-speed=10 --test-time=2 --sample=1/1 --sample-file=$samples"
        val run = VirtualGeneration(words).run()
        assertEquals(0, run.status, run.err)
        assertEquals(2.0, run.number("Totals", "Count"))
        assertEquals(listOf("0", "100000"), samples.readLines().drop(1).map { it.substringBefore(',') }.sorted())
    }

    @Test
    fun `a request that had to wait for a slow server is late from its intended time`() {
        write("0,get,a,", "0,get,b,")
        val run = VirtualGeneration("-t 1 -c 1 --replay=$trace", { 100.milliseconds }).run()
        val intended = run.number("middleware-lab", "Latency from intended send time", "Totals", "Max Latency")
        assertEquals(200.0, intended, 1.0, "two replies, one after the other")
    }

    @Test
    fun `a trace that cannot be read is a failure before anything is sent`() {
        write("0,get,a,", "0,fetch,b,")
        FakeMemcached().use { server ->
            val run = Generation.of(server.address.port, "--replay=$trace")
            assertEquals(1, run.status)
            assertTrue("error: $trace:3: operation must be one of" in run.err, run.err)
            assertEquals(0, server.lines.size)
        }
        assertEquals(1, Generation.of(1, "--replay=$directory/none.csv").status)
    }
}
