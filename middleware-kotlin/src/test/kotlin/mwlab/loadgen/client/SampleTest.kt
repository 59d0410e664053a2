package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.VirtualGeneration
import mwlab.net.EventLoop
import mwlab.testing.FakeMemcached
import mwlab.testing.MemoryConnection
import mwlab.testing.UsesSockets
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

@UsesSockets
class SampleTest {
    @TempDir
    lateinit var directory: File

    private val file by lazy { File(directory, "samples.csv") }

    private fun rows(): List<Map<String, String>> {
        val lines = file.readLines().map { it.split(',') }
        return lines.drop(1).map { lines.first().zip(it).toMap() }
    }

    private fun Map<String, String>.us(column: String) = getValue(column).toLong()

    @Test
    fun `one of one is every request, with times in order and what came of it`() {
        FakeMemcached().use { server ->
            val words = "-t 2 -c 2 -n 110 --key-minimum=1 --key-maximum=20 --sample=1/1 --sample-file=$file"
            val run = Generation.of(server.address.port, words)
            assertEquals(0, run.status, run.err)
            val rows = rows()
            assertEquals(
                server.lines.map { it.split(' ').take(2) }.sortedBy { "$it" },
                rows.map {
                    listOf(it.getValue("operation"), it.getValue("key"))
                }.sortedBy { "$it" },
            )
            for (row in rows) {
                assertEquals("", row["intended_us"], "a closed loop intends nothing")
                val times = listOf("sent_us", "first_byte_us", "last_byte_us").map { row.us(it) }
                assertEquals(times.sorted(), times, "$row")
                assertTrue(
                    row.getValue("outcome") in if (row["operation"] == "set") setOf("stored") else setOf("hit", "miss"),
                )
                assertEquals("127.0.0.1:${server.address.port}", row["server"])
            }
            val hits = run.number("Gets", "Hits/sec") / run.number("Gets", "Ops/sec") * run.number("Gets", "Count")
            assertEquals(hits, rows.count { it["outcome"] == "hit" }.toDouble(), 0.5)
        }
    }

    @Test
    fun `one of N is about that share`() {
        val run = Generation.against("-t 1 -c 4 -n 1000 --seed=1 --pipeline=5 --sample=1/10 --sample-file=$file")
        assertEquals(0, run.status, run.err)
        assertEquals(400.0, rows().size.toDouble(), 4 * sqrt(360.0))
    }

    @Test
    fun `a reply in two parts has a first and a last byte`() {
        val words = "-t 1 -c 1 -n 3 --ratio=0:1 --sample=1/1 --sample-file=$file"
        assertEquals(0, VirtualGeneration(words, connect = ::answeringInParts).run().status)
        assertEquals(List(3) { 300_000L }, rows().map { it.us("last_byte_us") - it.us("first_byte_us") })
    }

    /** A server whose reply comes 200 ms after the request, and its second part 300 ms after the first. */
    private fun answeringInParts(loop: EventLoop) = MemoryConnection(loop) {
        val nanos = loop.clock.nanos()
        loop.startTimer(nanos + 200_000_000) { receive("VALUE k 0 5\r\nhe") }
        loop.startTimer(nanos + 500_000_000) { receive("llo\r\nEND\r\n") }
    }

    @Test
    fun `errors and requests that were lost are in the sample, too`() {
        var requests = 0
        val words = "-t 1 -c 1 -n 3 --ratio=0:1 --sample=1/1 --sample-file=$file"
        Generation.against(words) { _, _ -> if (++requests == 1) "SERVER_ERROR busy\r\n" else null }
        assertEquals(listOf("error", "lost"), rows().map { it["outcome"] })
        assertEquals(listOf(false, true), rows().map { it["last_byte_us"].isNullOrEmpty() })
    }

    @Test
    fun `a file that cannot be written is a failure`() {
        val run = Generation.against("-n 1 --sample=1/1 --sample-file=$directory/none/samples.csv")
        assertEquals(1, run.status)
        assertTrue("none/samples.csv" in run.err, run.err)
    }

    @Test
    fun `a key with a comma is quoted`() {
        val words = "-t 1 -c 1 -n 1 --ratio=0:1 --key-prefix=a,\"b --key-minimum=1 --key-maximum=1"
        val run = Generation.against("$words --sample=1/1 --sample-file=$file")
        assertEquals(0, run.status, run.err)
        assertTrue(",get,\"a,\"\"b1\"," in file.readText(), file.readText())
    }
}
