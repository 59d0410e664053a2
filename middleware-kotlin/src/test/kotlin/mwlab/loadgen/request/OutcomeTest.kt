package mwlab.loadgen.request

import mwlab.memcached.ResponseReader
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals

class OutcomeTest {
    private fun bytes(text: String) = ByteBuffer.wrap(text.replace("/", "\r\n").toByteArray())

    @ParameterizedTest
    @CsvSource(
        "SET, STORED/, STORED",
        "SET, NOT_STORED/, ERROR",
        "SET, SERVER_ERROR out of memory/, ERROR",
        "GET, VALUE k 0 1/x/END/, HIT",
        "GET, END/, MISS",
        "GET, STORED/, ERROR",
        "SEND, STORED/, STORED",
        "SEND, SERVER_ERROR 127.0.0.1:5432 is down/, ERROR",
        "SEND, NOT_STORED/, ERROR",
        "POP, VALUE q1 0 1/x/END/, HIT",
        "POP, END/, MISS",
        "POP, STORED/, ERROR",
        "PEEK, END/, MISS",
        "LIST, VALUE waiting 0 2/q1/END/, HIT",
        "LIST, END/, MISS",
    )
    fun `a reply says how its request went`(operation: Operation, reply: String, outcome: String) {
        val input = bytes(reply)
        val response = checkNotNull(ResponseReader().next(input))
        assertEquals(Outcome.valueOf(outcome), Outcome.of(operation, keys = 1, response))
    }

    @Test
    fun `some of several keys are neither all nor none`() {
        val response = checkNotNull(ResponseReader().next(bytes("VALUE k 0 1/x/END/")))
        assertEquals(Outcome.PARTIAL, Outcome.of(Operation.GET, keys = 2, response))
    }
}
