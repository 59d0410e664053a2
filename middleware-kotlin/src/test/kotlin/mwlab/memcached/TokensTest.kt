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

    private fun <T> read(token: String, read: Tokens.(ByteBuffer, Int) -> T): T {
        split(token)
        return tokens.read(ByteBuffer.wrap(token.toByteArray()), 0)
    }

    @Test
    fun `numbers of 64 bits with a sign are taken as C takes them, to the lowest one`() {
        val lowest = "-9223372036854775808"
        for (number in listOf("0", "-1", "+7", "9223372036854775807", lowest, "00000000000000000000001", "1\t")) {
            assertEquals(true, read(number, Tokens::isInteger), number)
        }
        for (number in listOf("9223372036854775808", "-9223372036854775809", "1x", "x", "-", "99999999999999999999")) {
            assertEquals(false, read(number, Tokens::isInteger), number)
        }
        assertEquals(0L, read(lowest, Tokens::int32))
        assertEquals(1L, read("-9223372036854775807", Tokens::int32))
        assertEquals(-1L, read("9223372036854775807", Tokens::int32))
    }

    @Test
    fun `a negative number is unsigned if it wraps around to one without a sign`() {
        for (number in listOf("0", "-0", "18446744073709551615", "-9223372036854775809", "-18446744073709551615")) {
            assertEquals(true, read(number, Tokens::isUnsigned), number)
        }
        for (number in listOf(
            "-1",
            "-9223372036854775808",
            "-18446744073709551616",
            "18446744073709551616",
            "-",
            "+-1",
        )) {
            assertEquals(false, read(number, Tokens::isUnsigned), number)
        }
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
