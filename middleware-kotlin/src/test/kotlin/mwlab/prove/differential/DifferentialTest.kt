package mwlab.prove.differential

import mwlab.prove.differential.commands.StreamGenerator
import mwlab.testing.UsesPrograms
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** A small share of what the part `differential` of `make test-all` compares, with seeds that do not change. */
class DifferentialTest {
    @Test
    @UsesPrograms
    fun `50 000 generated commands are answered byte for byte as memcached answers them`() {
        val run = DifferentialRun(Lane.entries, firstSeed = 1, commands = 50_000, streamCommands = 2000)
        run.run()
        assertEquals(emptyList(), run.differences.toList(), run.differences.joinToString("\n"))
        assertEquals(50_000, run.count)
    }

    @Test
    fun `a stream is the same whenever it is made of the same seed`() {
        val streams = List(2) { StreamGenerator(7, hasUniques = true).let { made -> List(3) { made.batch(400) } } }
        assertEquals(streams[0], streams[1])
    }

    @Test
    fun `answers differ at the first byte that does`() {
        assertEquals(-1, difference("HD\r\nEND\r\n", "HD\r\nEND\r\n"))
        assertEquals(1, difference("HD\r\n", "HE\r\n"))
        assertEquals(4, difference("HD\r\n", "HD\r\nHD\r\n"))
        assertEquals(8, difference("VALUE a 0 2\r\n", "VALUE a 1 2\r\n"))
    }

    @Test
    fun `seconds may differ a little, in meta replies only`() {
        assertEquals(-1, difference("HD t99 kabc\r\nHD\r\n", "HD t100 kabc\r\nHD\r\n"))
        assertEquals(-1, difference("ME a exp=-100 la=9 cas=1\r\n", "ME a exp=-99 la=10 cas=1\r\n"))
        assertTrue(difference("ME a exp=-1\r\n", "ME a exp=-2\r\n") > 0)
        assertTrue(difference("HD t90\r\n", "HD t190\r\n") > 0)
        assertTrue(difference("HD t-1\r\n", "HD t1\r\n") > 0)
        assertEquals(6, difference("HD t99 k\r\n", "HD t99\r\n"))
        assertTrue(difference("HD s99\r\n", "HD s98\r\n") > 0)
        assertTrue(difference("VALUE t99 0 0\r\n", "VALUE t98 0 0\r\n") > 0)
    }

    private fun difference(one: String, other: String): Int = firstDifference(latin1(one), latin1(other))
}
