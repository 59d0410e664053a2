package mwlab.prove.fuzz

import mwlab.testing.UsesSockets
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.name
import kotlin.test.Test
import kotlin.test.assertTrue

/** What the fuzzer begins with, and what it has found, stays read without failing. */
class CorpusTest {
    private fun replay(folder: String, target: (ByteArray) -> Unit) {
        val files = Files.list(Path.of("src/test/resources/fuzz", folder)).use { it.toList() }
        assertTrue(files.size >= 5, "only ${files.size} files in $folder")
        for (file in files) {
            val stream = Files.readAllBytes(file)
            runCatching { target(stream) }.onFailure { throw AssertionError(file.name, it) }
            // However it is cut: two pieces, of any size.
            for (cut in 0..minOf(stream.size, 255)) {
                runCatching {
                    target(byteArrayOf(1, cut.toByte()) + stream)
                }.onFailure { throw AssertionError("${file.name} at $cut", it) }
            }
        }
    }

    @Test
    fun `requests of the corpus are read without failing, however they are cut`() =
        replay("requests", RequestTarget::fuzzerTestOneInput)

    @Test
    fun `replies of the corpus are read without failing, however they are cut`() =
        replay("replies", ReplyTarget::fuzzerTestOneInput)

    @Test
    @UsesSockets
    fun `connections of the corpus disturb nobody`() {
        val files = Files.list(Path.of("src/test/resources/fuzz/connections")).use { it.toList() }
        assertTrue(files.size >= 5, "only ${files.size} files")
        for (file in files) {
            val scene = Files.readAllBytes(file)
            // Either dispatch.
            for (change in 0..1) {
                scene[0] = (scene[0].toInt() xor change).toByte()
                runCatching {
                    ConnectionTarget.fuzzerTestOneInput(scene)
                }.onFailure { throw AssertionError(file.name, it) }
            }
        }
    }
}
