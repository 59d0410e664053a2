package mwlab.follow

import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.concurrent.thread
import kotlin.io.path.exists
import kotlin.io.path.readLines
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertTrue

class RowFileTest {
    @TempDir
    lateinit var directory: Path

    private val path by lazy { directory.resolve("rows.csv") }

    @Test
    fun `rows of several threads stay whole`() {
        RowFile(path, "a,b").use { file ->
            List(4) { number -> thread { repeat(1000) { file.append("$number,$it") } } }.forEach { it.join() }
            assertEquals(null, file.complaint)
        }
        val expected = (0..3).flatMap { number -> (0..999).map { "$number,$it" } }
        assertEquals("a,b", path.readLines().first())
        assertEquals(expected.toSet(), path.readLines().drop(1).toSet())
    }

    @Test
    fun `rows beyond the most are dropped, counted and told`() {
        val file = RowFile(path, "a", mostRows = 3)
        file.use { repeat(10) { number -> file.append("$number") } }
        assertEquals(listOf("a", "0", "1", "2"), path.readLines())
        assertEquals("$path holds the first 3 rows; 7 more were dropped", file.complaint)
    }

    @Test
    fun `a full disk does not fail an append, and is reported as the failure`() {
        val full = Path.of("/dev/full")
        if (!full.exists()) return
        val file = RowFile(full, "a")
        repeat(100_000) { file.append("$it") }
        file.close()
        val failure = assertNotNull(file.failure)
        assertTrue("/dev/full" in failure.message.orEmpty(), failure.message)
    }
}
