package mwlab.middleware.server

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import mwlab.memcached.AdminCommands
import mwlab.memcached.ProtocolException
import mwlab.memcached.RequestReader
import mwlab.middleware.job.Patience
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.middleware.job.ServerCall.State
import mwlab.testing.FakeClient
import mwlab.testing.MemoryConnection
import mwlab.testing.VirtualLoop
import mwlab.testing.jobOf
import mwlab.testing.onVirtualLoop
import java.io.IOException
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class ServerSessionTest {
    /** A session whose server is the test. */
    private class Bench(private val virtual: VirtualLoop) {
        var writes = 0
        val connection = MemoryConnection(virtual.loop) { writes++ }
        val server = Server(0, "server-0")
        val session = ServerSession(connection, server, timeout = 1.seconds)

        /** The calls that are answered or have failed, in the order in which that happened. */
        val done = mutableListOf<ServerCall>()

        fun call(command: String, patience: Patience = Patience.OF_THE_CONNECTION): ServerCall {
            val reader = RequestReader(1 shl 20, AdminCommands(areAllowed = true))
            val job = jobOf(command, FakeClient(ownLoop = null), reader)
            val call = ServerCall(server, job, patience = patience)
            job.calls = listOf(call)
            job.pendingCalls = 1
            job.onAnswered = { done += call }
            return call
        }

        fun submit(command: String, patience: Patience = Patience.OF_THE_CONNECTION): ServerCall =
            call(command, patience).also { session.submit(it, serverRequest(it.job, it, virtual.loop.buffers)!!) }

        /** Submits one call for each of [commands], in one turn of the loop. */
        suspend fun submitAll(vararg commands: String): List<ServerCall> =
            commands.map { submit(it) }.also { virtual.settle() }

        fun start(scope: CoroutineScope) = scope.async { runCatching { session.readReplies() }.exceptionOrNull() }

        suspend fun receive(text: String) {
            connection.receive(text)
            virtual.settle()
        }

        fun checkTimeout() = session.checkTimeout(virtual.loop.clock.nanos())
    }

    private fun ServerCall.outcome(): String =
        failure ?: Charsets.ISO_8859_1.decode(bytes.duplicate()).toString().removeSuffix("\r\n")

    private val alternative = Patience(100.milliseconds.inWholeNanoseconds, hasAlternative = true)

    @Test
    fun `requests leave in the order in which they were submitted, those of one turn in one write`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.submitAll("get a", "set b 0 0 1\r\n1", "delete c")
            assertEquals("get a\r\nset b 0 0 1\r\n1\r\ndelete c\r\n", bench.connection.written)
            assertEquals(1, bench.writes)
        }

    @Test
    fun `replies go to the calls in the order in which these were sent, however the bytes are cut`() {
        val replies = "VALUE a 0 3\r\n123\r\nEND\r\nSTORED\r\nEND\r\n"
        for (step in 1..replies.length) {
            onVirtualLoop { virtual ->
                val bench = Bench(virtual)
                bench.start(this)
                val calls = bench.submitAll("get a", "set b 0 0 1\r\n1", "get c")
                for (piece in replies.chunked(step)) bench.receive(piece)
                assertEquals(calls, bench.done)
                assertEquals(listOf("VALUE a 0 3\r\n123\r\nEND", "STORED", "END"), calls.map { it.outcome() })
            }
        }
    }

    @Test
    fun `a server that disappears in the middle of a reply fails that call and all behind it`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val reading = bench.start(this)
            val calls = bench.submitAll("get a", "get b", "get c")
            bench.receive("END\r\nVALUE b 0 10\r\n12345")
            assertEquals(listOf(calls[0]), bench.done)
            bench.connection.receiveEnd()
            assertNull(reading.await())
            assertEquals(calls, bench.done)
            val failure = "SERVER_ERROR server-0 closed the connection"
            assertEquals(listOf("END", failure, failure), calls.map { it.outcome() })
            assertTrue(bench.connection.isClosed)
        }

    @Test
    fun `a broken connection ends the reading, and every call fails with its cause`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val reading = bench.start(this)
        val calls = bench.submitAll("get a", "get b")
        bench.connection.breakOff()
        assertIs<IOException>(reading.await())
        bench.session.end("failed: Connection reset")
        assertEquals(List(2) { "SERVER_ERROR server-0 failed: Connection reset" }, calls.map { it.outcome() })
    }

    @Test
    fun `a session that is over sends nothing more, and keeps its first reason`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.session.end("closed the connection")
        bench.session.end("something else")
        val call = bench.submit("get a")
        assertEquals("SERVER_ERROR server-0 closed the connection", call.outcome())
        assertEquals("", bench.connection.written)
        assertEquals("closed the connection", bench.session.endReason)
    }

    @Test
    fun `a reply that belongs to no call ends the reading, and reaches nobody`() {
        val objections = mapOf(
            "STORED\r\n" to "a reply to something else",
            "VALUE other 0 1\r\nx\r\nEND\r\n" to "a value nobody asked for",
            "END\r\nEND\r\n" to "a reply that nobody asked for",
        )
        for ((reply, objection) in objections) {
            onVirtualLoop { virtual ->
                val bench = Bench(virtual)
                val reading = bench.start(this)
                bench.submitAll("get a")
                bench.receive(reply)
                assertEquals(objection, assertIs<ProtocolException>(reading.await()).message)
                assertEquals(if (reply.startsWith("END")) 1 else 0, bench.done.size)
            }
        }
    }

    @Test
    fun `a server that owes an answer for longer than the timeout ends the session`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        val calls = bench.submitAll("get a", "get b")
        virtual.skip(1.seconds)
        bench.checkTimeout()
        assertNull(bench.session.endReason, "not before the timeout has passed")
        virtual.skip(1.nanoseconds)
        bench.checkTimeout()
        assertTrue(bench.session.hasTimedOut)
        assertEquals(List(2) { "SERVER_ERROR server-0 did not answer within 1s" }, calls.map { it.outcome() })
        assertTrue(bench.connection.isClosed)
    }

    @Test
    fun `a reply that still moves is waited for, and a server that owes nothing may be silent`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            virtual.skip(1.hours)
            bench.checkTimeout()
            val (call) = bench.submitAll("get a")
            bench.receive("VALUE a 0 10\r\n")
            for (digit in 0..9) {
                virtual.skip(900.milliseconds)
                bench.checkTimeout()
                bench.receive("$digit")
            }
            bench.receive("\r\nEND\r\n")
            assertEquals("VALUE a 0 10\r\n0123456789\r\nEND", call.outcome())
            virtual.skip(1.hours)
            bench.checkTimeout()
            assertNull(bench.session.endReason)
        }

    @Test
    fun `the late reply to a call that was given up is dropped, and the next call gets its own`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val impatient = bench.submit("get a", alternative)
            virtual.settle()
            val patient = bench.submit("get b")
            virtual.settle()
            virtual.skip(101.milliseconds)
            bench.checkTimeout()
            assertEquals("SERVER_ERROR server-0 did not answer within 100ms", impatient.outcome())
            assertEquals(listOf(impatient), bench.done)
            bench.receive("VALUE a 0 4\r\nlate\r\nEND\r\nVALUE b 0 5\r\nright\r\nEND\r\n")
            assertEquals("VALUE b 0 5\r\nright\r\nEND", patient.outcome())
            assertEquals(listOf(impatient, patient), bench.done)
        }

    @Test
    fun `a server that owes an answer is not asked what another server can answer`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        bench.submit("get a", alternative)
        virtual.settle()
        virtual.skip(101.milliseconds)
        bench.checkTimeout()
        val refused = bench.submit("get b", alternative)
        assertEquals("SERVER_ERROR server-0 has left another request without an answer", refused.outcome())
        bench.receive("END\r\n")
        val accepted = bench.submit("get b", alternative)
        virtual.settle()
        bench.receive("END\r\n")
        assertEquals("END", accepted.outcome())
    }

    @Test
    fun `what a full socket does not take follows in order once there is room`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        bench.connection.makeRoom(bytes = 5)
        val calls = bench.submitAll("get a", "get b")
        assertEquals("get a", bench.connection.written)
        bench.submitAll("get c")
        assertEquals(List(2) { State.SENDING }, calls.map { it.state })
        bench.connection.makeRoom(bytes = 4)
        virtual.settle()
        assertEquals(listOf(State.AWAITED, State.SENDING), calls.map { it.state })
        bench.connection.makeRoom(bytes = Int.MAX_VALUE)
        virtual.settle()
        assertEquals("get a\r\nget b\r\nget c\r\n", bench.connection.written)
    }

    @Test
    fun `a call that is answered before it is sent is done when it is sent`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        bench.connection.makeRoom(bytes = 20)
        val value = "x".repeat(10_000)
        val (early, next) = bench.submitAll("set k 0 0 10000\r\n$value", "get k")
        bench.receive("SERVER_ERROR out of memory storing object\r\n")
        assertEquals(emptyList(), bench.done, "the rest of the request stands in the client's buffer")
        bench.connection.makeRoom(bytes = Int.MAX_VALUE)
        virtual.settle()
        assertEquals(listOf(early), bench.done)
        assertEquals("set k 0 0 10000\r\n$value\r\nget k\r\n", bench.connection.written)
        bench.receive("END\r\n")
        assertEquals("END", next.outcome())
    }

    @Test
    fun `a quiet request is done with the answer to the no-operation behind it`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        val (quiet, told, next) = bench.submitAll("ms a 1 q\r\n1", "ms b 1 q\r\n1", "get c")
        assertEquals("ms a 1 q\r\n1\r\nmn\r\nms b 1 q\r\n1\r\nmn\r\nget c\r\n", bench.connection.written)
        bench.receive("MN\r\nNS\r\n")
        assertEquals(listOf(quiet), bench.done)
        bench.receive("MN\r\nEND\r\n")
        assertEquals(listOf(quiet, told, next), bench.done)
        assertEquals(listOf("", "NS", "END"), bench.done.map { it.outcome() })
    }

    @Test
    fun `a reply that there is no memory for fails its own call only`() =
        onVirtualLoop(maxBufferBytes = 64 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val (large, small) = bench.submitAll("get a", "get b")
            bench.receive("VALUE a 0 200000\r\n${"x".repeat(200_000)}\r\nEND\r\n")
            bench.receive("VALUE b 0 1\r\n2\r\nEND\r\n")
            assertEquals("SERVER_ERROR out of memory for the reply of server-0", large.outcome())
            assertEquals("VALUE b 0 1\r\n2\r\nEND", small.outcome())
            assertFalse(bench.connection.isClosed)
        }

    @Test
    fun `a server whose reply there is no memory for is not silent`() =
        onVirtualLoop(maxBufferBytes = 64 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            bench.submit("get a", alternative)
            virtual.settle()
            bench.receive("VALUE a 0 200000\r\n${"x".repeat(100_000)}")
            val next = bench.submit("get b", alternative)
            virtual.settle()
            bench.receive("${"x".repeat(100_000)}\r\nEND\r\nEND\r\n")
            assertEquals("END", next.outcome())
        }

    @Test
    fun `small replies count until they are released, and are refused at last`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val calls = bench.submitAll(*Array(30) { "get k" })
            bench.receive("END\r\n".repeat(30))
            val failure = "SERVER_ERROR out of memory for the reply of server-0"
            assertEquals(List(20) { "END" } + List(10) { failure }, calls.map { it.outcome() })
            assertEquals(20 * 1024, virtual.loop.buffers.limit.reservedBytes)
            calls.forEach { it.release(virtual.loop.buffers) }
            assertEquals(0, virtual.loop.buffers.limit.reservedBytes)
        }

    @Test
    fun `a server that closes the connection has not answered a shutdown that it was not sent`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            bench.connection.makeRoom(bytes = 10)
            val calls = bench.submitAll("shutdown", "shutdown")
            assertEquals(listOf(State.AWAITED, State.SENDING), calls.map { it.state })
            bench.connection.receiveEnd()
            virtual.settle()
            assertEquals(listOf("", "SERVER_ERROR server-0 closed the connection"), calls.map { it.outcome() })
            assertEquals(calls.toSet(), bench.done.toSet())
        }
}
