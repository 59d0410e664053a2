package mwlab.loadgen.report

import mwlab.loadgen.Generation
import mwlab.testing.UsesSockets
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals

@UsesSockets
class ClientStatsFilesTest {
    @TempDir
    lateinit var directory: File

    @Test
    fun `each client of each run has a file with its seconds and distributions`() {
        val words = "-t 2 -c 2 -n 6 --ratio=1:2 --run-count=2 --client-stats=$directory/stats"
        assertEquals(0, Generation.against(words).status)
        val names = (1..2).flatMap { run -> listOf("0-0", "0-1", "1-0", "1-1").map { "stats-$run-$it.csv" } }
        assertEquals(names, directory.list().orEmpty().sorted())
        val lines = File(directory, "stats-2-1-0.csv").readLines()
        assertEquals("Per-Second Benchmark Data", lines[0])
        assertEquals(15, lines[1].split(',').size)
        val seconds = lines.drop(2).takeWhile { it.isNotEmpty() }.map { it.split(',') }
        assertEquals(seconds.indices.map { "$it" }, seconds.map { it[0] })
        val counts = listOf(1, 6, 11, 12).map { column -> seconds.sumOf { it[column].toInt() } }
        assertEquals(listOf(2, 4, 4, 0), counts, "sets, gets, misses, hits")
        for (second in seconds) {
            assertEquals(15, second.size)
            val (total, sent, received) = second.subList(3, 6).map { it.toInt() }
            assertEquals(total, sent + received)
        }
        assertEquals(listOf("GET", "SET", "WAIT"), lines.filter { it.startsWith("Full-Test") }.map { it.split(' ')[1] })
        assertEquals("   0.000,100.000", lines.last())
    }
}
