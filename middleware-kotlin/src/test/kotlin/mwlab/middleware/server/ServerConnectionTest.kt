package mwlab.middleware.server

import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.job.Patience
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop
import mwlab.testing.FakeClient
import mwlab.testing.MemoryConnection
import mwlab.testing.MemoryTransport
import mwlab.testing.VirtualLoop
import mwlab.testing.jobOf
import mwlab.testing.onVirtualLoop
import java.net.ConnectException
import java.net.InetSocketAddress
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class ServerConnectionTest {
    /** A connection whose server is the test: it accepts at once, as often as [accepts] allows. */
    private class Bench(private val virtual: VirtualLoop, private val login: Boolean = false) {
        private val address = InetSocketAddress("127.0.0.1", 11211)
        private val server = Server(0, "server-0")
        val sessions = mutableListOf<MemoryConnection>()
        var accepts = Int.MAX_VALUE

        /** Whether a new connection hears an answer to its `version`. */
        var answers = true
        val connection = ServerConnection(
            MemoryTransport(mapOf(address to ::accept)),
            virtual.loop,
            server,
            address,
            timeout = 1.seconds,
            onFailure = { throw it },
        )

        private fun accept(loop: EventLoop): MemoryConnection {
            if (sessions.size == accepts) throw ConnectException("Connection refused")
            return MemoryConnection(loop) { bytes ->
                if (String(bytes) == "version\r\n" &&
                    answers
                ) {
                    receive(if (login) "CLIENT_ERROR unauthenticated\r\n" else "VERSION 1\r\n")
                }
            }.also { sessions += it }
        }

        suspend fun submit(command: String, patience: Patience = Patience.OF_THE_CONNECTION): ServerCall {
            val job = jobOf(command, FakeClient(ownLoop = null))
            val call = ServerCall(server, job, patience = patience)
            job.calls = listOf(call)
            job.pendingCalls = 1
            job.onAnswered = { }
            connection.submit(call)
            settle()
            return call
        }

        suspend fun receive(text: String) {
            sessions.last().receive(text)
            settle()
        }

        /** A new connection takes several turns of the loop. */
        suspend fun settle() = repeat(5) { virtual.settle() }

        val written: List<String> get() = sessions.map { it.written.removePrefix("version\r\n") }
    }

    private fun ServerCall.outcome(): String? =
        failure ?: reply?.let { Charsets.ISO_8859_1.decode(bytes.duplicate()).toString() }

    @Test
    fun `reads behind a broken reply are asked again on the next connection, changes fail`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            launch { bench.connection.run() }
            bench.settle()
            val calls = listOf("get a", "get b", "set c 0 0 1\r\n1", "gat 10 d", "get e").map { bench.submit(it) }
            bench.receive("what is this\r\n")
            val failure = "SERVER_ERROR server-0 sent not a reply of memcached: \"what is this\""
            assertEquals(listOf(failure, null, failure, failure, null), calls.map { it.outcome() })
            assertEquals("get b\r\nget e\r\n", bench.written.last())
            bench.receive("END\r\nEND\r\n")
            assertEquals("END\r\n", calls.last().outcome())
        }

    @Test
    fun `what comes while the connection comes back waits for it, and fails with it`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        launch { bench.connection.run() }
        bench.settle()
        bench.answers = false
        bench.sessions.last().receiveEnd()
        bench.settle()
        val waiting = bench.submit("set a 0 0 1\r\n1")
        val elsewhere = bench.submit("get b", Patience(1_000_000, hasAlternative = true))
        assertEquals(listOf(null, null), listOf(waiting, elsewhere).map { it.outcome() })
        virtual.skip(2.milliseconds)
        bench.connection.checkTimeout(virtual.loop.clock.nanos())
        assertEquals("SERVER_ERROR server-0 closed the connection", elsewhere.outcome(), "it can go elsewhere")
        assertNull(waiting.outcome())
        bench.receive("VERSION 1\r\n")
        assertEquals("set a 0 0 1\r\n1\r\n", bench.written.last())
        bench.accepts = bench.sessions.size
        bench.sessions.last().receiveEnd()
        bench.settle()
        assertEquals("SERVER_ERROR server-0 closed the connection", waiting.outcome())
        delay(1.seconds)
        assertEquals("SERVER_ERROR server-0 failed: Connection refused", bench.submit("get c").outcome())
    }

    @Test
    fun `a server that did not answer in time is not waited for again`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        launch { bench.connection.run() }
        bench.settle()
        val calls = listOf(bench.submit("get a"), bench.submit("get b"))
        bench.answers = false
        virtual.skip(2.seconds)
        bench.connection.checkTimeout(virtual.loop.clock.nanos())
        bench.settle()
        val failure = "SERVER_ERROR server-0 did not answer within 1s"
        assertEquals(List(3) { failure }, (calls + bench.submit("get c")).map { it.outcome() })
    }

    @Test
    fun `a server that wants a login cannot be used, and is told as such`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, login = true)
        launch { bench.connection.run() }
        val refusal = assertFailsWith<BackEndUnusable> { bench.connection.firstAttempt.await() }
        assertTrue(refusal.message.startsWith("server-0 wants a login, which is not passed on"), refusal.message)
        assertTrue(
            bench.submit("set a 0 0 9\r\nuser pass").outcome()!!.startsWith("SERVER_ERROR server-0 wants a login"),
        )
        assertEquals(setOf(""), bench.written.toSet(), "no login reaches the server")
    }
}
