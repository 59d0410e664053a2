package mwlab.memcached

import mwlab.testing.bytes
import mwlab.testing.replay
import kotlin.test.Test
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertNull

class ResponseReaderTest {
    private fun read(text: String): Response = ResponseReader().next(bytes(text))!!

    @Test
    fun `every one-line reply is known`() {
        for (status in Status.entries) {
            val line = if (status ==
                Status.NUMBER
            ) {
                "42"
            } else if (status == Status.VERSION) {
                "VERSION 1.6.18"
            } else {
                status.name
            }
            val reply = assertIs<Response.Line>(read("$line\r\n"))
            assertEquals(status, reply.status)
            assertEquals(line.length + 2, reply.length)
        }
    }

    @Test
    fun `a number padded with spaces is a number`() {
        assertEquals(Status.NUMBER, assertIs<Response.Line>(read("9  \r\n")).status)
    }

    @Test
    fun `a miss is no values`() {
        val reply = assertIs<Response.Values>(read("END\r\n"))
        assertEquals(0, reply.hits)
        assertEquals(0, reply.bodyLength)
    }

    @Test
    fun `values are found where they begin, whatever bytes they hold`() {
        val first = "VALUE a 0 9\r\nEND\r\nEND\r\r\n"
        val second = "VALUE b 7 0 123\r\n\r\n"
        val reply = assertIs<Response.Values>(read(first + second + "END\r\n"))
        assertContentEquals(intArrayOf(0, first.length), reply.starts)
        assertEquals(first.length + second.length, reply.bodyLength)
    }

    @Test
    fun `more values than expected at first are found`() {
        val reply = assertIs<Response.Values>(read((1..100).joinToString("") { "VALUE k$it 0 1\r\nx\r\n" } + "END\r\n"))
        assertEquals(100, reply.hits)
    }

    @Test
    fun `errors say whose fault it is`() {
        assertEquals(FailureKind.ERROR, assertIs<Response.Failure>(read("ERROR\r\n")).kind)
        assertEquals(FailureKind.CLIENT_ERROR, assertIs<Response.Failure>(read("CLIENT_ERROR bad data chunk\r\n")).kind)
        assertEquals(FailureKind.SERVER_ERROR, assertIs<Response.Failure>(read("SERVER_ERROR out of memory\r\n")).kind)
    }

    @Test
    fun `an error after values ends the reply and is found behind them`() {
        val value = "VALUE a 0 1\r\nx\r\n"
        val reply = assertIs<Response.Failure>(read(value + "SERVER_ERROR out of memory\r\n"))
        assertEquals(value.length, reply.lineOffset)
        assertEquals(value.length + 28, reply.length)
    }

    @Test
    fun `statistics end with END`() {
        assertIs<Response.Statistics>(read("STAT pid 1\r\nSTAT version 1.6.18\r\nEND\r\n"))
    }

    @Test
    fun `dumps of keys end with END or EN`() {
        for (dump in listOf("key=a exp=-1 la=1 cas=1\nkey=b exp=-1\nEND\r\n", "mg a\r\nmg b\r\nEN\r\n")) {
            assertEquals(dump.length, assertIs<Response.Statistics>(read(dump)).length)
        }
        val refused = assertIs<Response.Failure>(read("key=a exp=-1\nERROR locked try again later\r\n"))
        assertEquals(13, refused.lineOffset)
    }

    @Test
    fun `statistics without an END are over when the next request is answered`() {
        val reader = ResponseReader()
        val buffer = bytes("STAT sizes_status enabled\r\nMN\r\n")
        val statistics = assertIs<Response.Statistics>(reader.next(buffer))
        assertEquals(27, statistics.length)
        buffer.position(statistics.length)
        assertEquals(MetaCode.MN, assertIs<Response.Meta>(reader.next(buffer)).code)
    }

    @Test
    fun `errors of commands that spell them in their own way are errors`() {
        for (line in listOf("ERROR: shutdown not enabled", "Error TLS not enabled")) {
            assertEquals(FailureKind.ERROR, assertIs<Response.Failure>(read("$line\r\n")).kind)
        }
        val failure = assertIs<Response.Failure>(read("SERVER_ERROR: shutdown not enabled\r\n"))
        assertEquals(FailureKind.SERVER_ERROR, failure.kind)
    }

    @Test
    fun `meta replies come with and without a value`() {
        val value = assertIs<Response.Meta>(read("VA 2 s2 t-1\r\nhi\r\n"))
        assertEquals(listOf(MetaCode.VA, 17), listOf(value.code, value.length))
        for (code in MetaCode.entries - MetaCode.VA) assertEquals(code, assertIs<Response.Meta>(read("$code\r\n")).code)
    }

    @Test
    fun `an incomplete reply is null`() {
        val whole = "VALUE a 0 1\r\nx\r\nEND\r\n"
        for (length in 0 until whole.length) assertNull(ResponseReader().next(bytes(whole.substring(0, length))))
    }

    @Test
    fun `replies are the same however the bytes are cut`() {
        val text = listOf(
            "STORED\r\n",
            "VALUE a 0 5\r\na\r\nbc\r\nEND\r\n",
            "END\r\n",
            "VA 1\r\nx\r\n",
            "STAT a b\r\nEND\r\n",
            "VALUE a 0 1\r\nx\r\nSERVER_ERROR e\r\n",
            "HD\r\n",
        ).joinToString("")

        fun found(step: Int): List<String> {
            val reader = ResponseReader()
            return replay(text, step, Response::length, reader::next).map { "${it::class.simpleName} ${it.length}" }
        }
        val whole = found(text.length)
        assertEquals(7, whole.size)
        for (step in 1..20) assertEquals(whole, found(step), "$step bytes at a time")
    }

    @Test
    fun `what is no reply is refused with the line`() {
        for (line in listOf(
            "hello",
            "",
            "VALUE a 0",
            "VALUE a 0 x",
            "VALUE a 0 -1",
            "VALUE a 0 99999999999",
            "VA x",
            "VA ",
            "12a",
        )) {
            val refused = assertFailsWith<ProtocolException>(line) { read("$line\r\n") }
            assertEquals("not a reply of memcached: \"$line\"", refused.message)
        }
        assertFailsWith<ProtocolException> { read("STORED\n") }
        assertFailsWith<ProtocolException> { read("VALUE a 0 1\r\nxyz\r\nEND\r\n") }
        assertFailsWith<ProtocolException> { read("VALUE a 0 1\r\nx\r\nSTORED\r\n") }
        assertFailsWith<ProtocolException> { read("x".repeat(5000)) }
    }

    @Test
    fun `what is no reply is told in one line of printable characters`() {
        val refused = assertFailsWith<ProtocolException> { read("\u0000a\rb\u001b[1m\u00e9\r\n") }
        assertEquals("not a reply of memcached: \"?a?b?[1m?\"", refused.message)
    }

    @Test
    fun `a reply of no interest is read to its end in little memory, and the next one is whole`() {
        for (first in listOf(
            "VALUE k 0 3000\r\n${"x".repeat(3000)}\r\nVALUE l 0 1\r\ny\r\nEND\r\n",
            "VA 3000 f0\r\n${"x".repeat(3000)}\r\n",
        )) {
            val stream = first + "STORED\r\n"
            val reader = ResponseReader()
            val buffer = java.nio.ByteBuffer.allocate(64).limit(0)
            val found = mutableListOf<Response>()
            for (byte in stream) {
                if (found.isEmpty()) reader.dropRead(buffer)
                buffer.compact().put(byte.code.toByte()).flip()
                val reply = reader.next(buffer) ?: continue
                buffer.position(buffer.position() + reply.length)
                found += reply
            }
            assertEquals(2, found.size)
            assertEquals(Status.STORED, (found[1] as Response.Line).status)
            assertEquals(0, buffer.remaining())
        }
    }
}
