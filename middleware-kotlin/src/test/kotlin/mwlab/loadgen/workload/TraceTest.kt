package mwlab.loadgen.workload

import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.io.File
import java.util.zip.GZIPOutputStream
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

class TraceTest {
    @TempDir
    lateinit var directory: File

    private val header = "time_s,operation,key,size\n"

    private fun trace(text: String, speed: Double = 1.0) =
        Trace(File(directory, "trace.csv").apply { writeText(text) }, speed)

    private fun rows(trace: Trace) = buildList {
        trace.forEach { add("${it.sinceStartNanos} ${it.operation.word} ${String(it.key)} ${it.valueBytes}") }
    }

    @Test
    fun `requests are read in order, at their times, with the sizes of what is stored`() {
        val text = header + "0,set,a,120\n0.5,get,a,\n0.5,delete,b,7\n"
        val expected = listOf("0 set a 120", "500000000 get a 0", "500000000 delete b 0")
        assertEquals(expected, rows(trace(text)))
        assertEquals("250000000 get a 0", rows(trace(text, speed = 2.0))[1])
        val summary = trace(text).check()
        assertEquals(3L to 120..120, summary.requests to summary.valueBytes)
    }

    @Test
    fun `a compressed trace is told by its name`() {
        val file = File(directory, "trace.csv.gz")
        GZIPOutputStream(file.outputStream()).bufferedWriter().use { it.write(header + "0,get,a,\n") }
        assertEquals(listOf("0 get a 0"), rows(Trace(file, 1.0)))
        val damaged = File(directory, "damaged.gz").apply { writeText(header) }
        val error = assertFailsWith<TraceException> { Trace(damaged, 1.0).check() }
        assertEquals("cannot read $damaged: Not in GZIP format", error.message)
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '\'',
        value = [
            "1,get,a | 3: 4 fields expected, not 3",
            "x,get,a, | 3: time_s must be a number not below zero",
            "NaN,get,a, | 3: time_s must be a number not below zero",
            "0.1,get,a, | 3: time_s must not descend",
            "1,cas,a,5 | 3: operation must be one of set get delete touch incr decr add gets gat mg",
            "1,get,a b, | 3: key must have 1 to 250 bytes, none of them a blank or control character",
            "1,get,, | 3: key must have 1 to 250 bytes, none of them a blank or control character",
            "1,set,a, | 3: size must be a number of bytes up to 134217728",
            "1,set,a,-1 | 3: size must be a number of bytes up to 134217728",
        ],
    )
    fun `a bad line is told with its number`(line: String, message: String) {
        val trace = trace(header + "0.2,get,a,\n$line\n1,get,a,\n")
        val error = assertFailsWith<TraceException> { trace.check() }
        assertEquals("${File(directory, "trace.csv")}:$message: \"$line\".", error.message)
    }

    @Test
    fun `a file without header or without requests is no trace`() {
        val noHeader = assertFailsWith<TraceException> { trace("0,get,a,\n").check() }
        assertTrue(noHeader.message.orEmpty().endsWith(":1: the first line must be \"${header.trim()}\"."))
        assertFailsWith<TraceException> { trace(header).check() }
    }

    @Test
    fun `loops share a trace in turn, and one that is much longer than what is read ahead`() {
        val count = 10_000
        val text = header + (0 until count).joinToString("") { "$it,get,$it,\n" }
        TraceFeed(trace(text), loops = 2).use { feed ->
            val times = feed.shares.map { ArrayList<Long>() }
            repeat(count / 2 + 1) {
                feed.shares.forEachIndexed { loop, share ->
                    share.next()?.let { times[loop] += it / 1_000_000_000 }
                }
            }
            assertEquals((0L until count).filter { it % 2 == 0L }, times[0])
            assertEquals((0L until count).filter { it % 2 == 1L }, times[1])
            assertEquals("1", String(feed.shares[1].takeDue().key))
        }
    }
}
