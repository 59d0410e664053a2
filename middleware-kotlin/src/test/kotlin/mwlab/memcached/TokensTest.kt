package mwlab.memcached

import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class TokensTest {
    private val tokens = Tokens()

    private fun split(line: String) {
        val bytes = line.toByteArray()
        tokens.split(ByteBuffer.wrap(bytes), 0, bytes.size)
    }

    @Test
    fun `tokens are separated by any number of spaces`() {
        split("  get a   bc ")
        assertEquals(listOf(2 to 5, 6 to 7, 10 to 12), List(tokens.count) { tokens.start(it) to tokens.end(it) })
    }

    @Test
    fun `room for a line of very many tokens is given back at the next line`() {
        val small = tokens.capacity
        split("get" + " k".repeat(100_000))
        assertEquals(100_001, tokens.count)
        assertTrue(tokens.capacity >= tokens.count)
        split("get a")
        assertEquals(2, tokens.count)
        assertEquals(small, tokens.capacity)
    }
}
