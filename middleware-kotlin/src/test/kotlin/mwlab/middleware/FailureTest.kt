package mwlab.middleware

import mwlab.net.text
import mwlab.testing.ANY_PORT
import mwlab.testing.Clocked
import mwlab.testing.FakeMemcached
import mwlab.testing.HastyServer
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.eventually
import mwlab.testing.freePort
import mwlab.testing.withClocked
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.CountDownLatch
import java.util.concurrent.LinkedBlockingQueue
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.seconds

/** What fails behind a middleware; both kinds of dispatch have to bear it. */
@UsesSockets
abstract class FailureTest(private val dispatch: Dispatch) {
    private fun config(servers: List<InetSocketAddress>, maxValueBytes: Int = LARGE_BYTES) = MiddlewareConfig(
        ANY_PORT,
        servers,
        workers = 1,
        dispatch = dispatch,
        clientTimeout = 1000.days,
        serverTimeout = TIMEOUT,
        maxValueBytes = maxValueBytes,
    )

    private fun FakeMemcached.name() = address.text

    private fun Clocked.passTimeout() = skip(TIMEOUT + 1.seconds)

    private fun Clocked.passTimeoutsUntilAnswered(client: TextClient) =
        skipUntil(TIMEOUT + 1.seconds, "an answer") { client.hasInput }

    @Test
    fun `a server that does not answer is named, and its late reply reaches nobody`() = withServers(1) { (server) ->
        val isLate = CountDownLatch(1)
        withClocked(config(listOf(server.address))) { running ->
            TextClient(running.address).use { client ->
                server.values["slow"] = "late"
                server.values["k"] = "right"
                server.answer = { line, reply -> reply.also { if (line == "get slow") isLate.await() } }
                client.send("get slow\r\n")
                eventually("the server is asked") { "get slow" in server.lines }
                running.passTimeout()
                assertEquals("SERVER_ERROR ${server.name()} did not answer within $TIMEOUT", client.readLine())
                isLate.countDown()
                eventually("the server answers again") { client.ask("get k") == "VALUE k 0 5" }
                assertEquals(listOf("right", "END"), client.readUntil("END"))
                repeat(20) { assertEquals(listOf("VALUE k 0 5", "right"), client.get("k")) }
            }
        }
    }

    @Test
    fun `a server that is dead at the start is an error, and is used once it lives`() {
        val port = freePort()
        val dead = InetSocketAddress("127.0.0.1", port)
        withMiddleware(config(listOf(dead))) { address ->
            TextClient(address).use { client ->
                val refusal = client.ask("get k")!!
                assertTrue(refusal.startsWith("SERVER_ERROR 127.0.0.1:$port "), refusal)
                FakeMemcached(port).use { eventually("it is used") { client.ask("get k") == "END" } }
            }
        }
    }

    @Test
    fun `a server that drops its connections is back at once`() = withServers(1) { (server) ->
        withMiddleware(config(listOf(server.address))) { address ->
            TextClient(address).use { client ->
                repeat(3) {
                    client.set("k", "1")
                    server.dropConnections()
                    eventually("it is back") { client.set("k", "2") == "STORED" }
                }
            }
        }
    }

    @Test
    fun `a set fails if one of the servers fails, and the others still serve`() = withServers(2) { servers ->
        withMiddleware(config(servers.map { it.address })) { address ->
            TextClient(address).use { client ->
                servers[1].answer = { _, _ -> null }
                assertEquals("SERVER_ERROR ${servers[1].name()} closed the connection", client.set("k", "1"))
                servers[1].answer = { _, reply -> reply }
                eventually("both serve") { client.set("k", "2") == "STORED" }
            }
        }
    }

    @Test
    fun `a server that hangs keeps those who queue waiting once, not one after the other`() =
        withServers(1) { (server) ->
            withClocked(config(listOf(server.address))) { running ->
                server.answer = { _, _ -> "" }
                val clients = List(8) { TextClient(running.address) }
                clients.forEach { it.send("get k\r\n") }
                eventually("the server is asked") { server.lines.isNotEmpty() }
                // Time passes once: who waited for a timeout of its own would get no answer.
                running.passTimeout()
                for (client in clients) {
                    assertEquals("SERVER_ERROR ${server.name()} did not answer within $TIMEOUT", client.readLine())
                }
                server.answer = { _, reply -> reply }
                running.skipUntil(TIMEOUT, "it is used again") { clients[0].ask("get k") == "END" }
                clients.forEach { it.close() }
            }
        }

    @Test
    fun `servers that take no request are waited for together`() {
        val deaf = List(3) {
            ServerSocket().apply {
                receiveBufferSize = 4096
                bind(ANY_PORT)
            }
        }
        val addresses = deaf.map { InetSocketAddress(it.inetAddress, it.localPort) }
        val connections = LinkedBlockingQueue<Socket>()
        for (server in deaf) {
            thread {
                val connection = server.accept()
                connection.getInputStream().readNBytes("version\r\n".length)
                connection.getOutputStream().write("VERSION deaf\r\n".toByteArray())
                connections += connection
            }
        }
        withClocked(config(addresses, maxValueBytes = 16 shl 20)) { running ->
            TextClient(running.address).use { client ->
                client.send("set k 0 0 ${16 shl 20}\r\n${"x".repeat(16 shl 20)}\r\n")
                eventually("each gets a part of the request, though none takes all of it") {
                    connections.size == deaf.size && connections.all { it.getInputStream().available() > 0 }
                }
                running.passTimeoutsUntilAnswered(client)
                val answer = client.readLine()!!
                assertTrue(answer.endsWith(" did not answer within $TIMEOUT"), answer)
                connections.forEach { it.close() }
            }
        }
        deaf.forEach { it.close() }
    }

    @Test
    fun `a large reply that moves slowly is waited for, and so are those behind it`() = withServers(1) { (server) ->
        withClocked(config(listOf(server.address))) { running ->
            val value = "0123456789abcdef".repeat(65_536)
            server.values["large"] = value
            // Of 32 slices: together, they take more than three timeouts.
            server.beforeSlice = { running.skip(TIMEOUT / 10) }
            val others = List(4) { TextClient(running.address) }
            TextClient(running.address).use { client ->
                client.send("get large\r\n")
                eventually("the server is asked") { "get large" in server.lines }
                others.forEach { it.send("get k\r\n") }
                assertEquals("VALUE large 0 1048576", client.readLine())
                assertEquals(listOf(value, "END"), client.readUntil("END"))
                others.forEach { assertEquals("END", it.readLine()) }
            }
            others.forEach { it.close() }
        }
    }

    @Test
    fun `an answer that comes before the request is written does not touch the rest of it`() =
        HastyServer(readsOn = true).use { server ->
            withMiddleware(config(listOf(server.address))) { address ->
                TextClient(address).use { client ->
                    val values = listOf("x", "y").map { it.repeat(LARGE_BYTES) }
                    assertEquals("SERVER_ERROR out of memory storing object", client.set("k", values[0]))
                    assertEquals("STORED", client.set("k", values[1]))
                    for (value in values) assertTrue(server.values.take() == "$value\r\n", "every byte as it was sent")
                }
            }
        }

    @Test
    fun `a server that answers and then does not take the rest is given up in time`() =
        HastyServer(readsOn = false).use { server ->
            withClocked(config(listOf(server.address))) { running ->
                TextClient(running.address).use { client ->
                    client.send("set k 0 0 $LARGE_BYTES\r\n${"x".repeat(LARGE_BYTES)}\r\n")
                    eventually("the server answers") { server.hasAnswered }
                    running.passTimeoutsUntilAnswered(client)
                    assertEquals("SERVER_ERROR out of memory storing object", client.readLine())
                }
            }
        }

    @Test
    fun `half a reply is no reply`() = withServers(1) { (server) ->
        withClocked(config(listOf(server.address))) { running ->
            TextClient(running.address).use { client ->
                server.answer = { _, _ -> "VALUE k 0 10\r\n12345" }
                client.send("get k\r\n")
                eventually("the server is asked") { server.lines.isNotEmpty() }
                running.passTimeoutsUntilAnswered(client)
                assertEquals("SERVER_ERROR ${server.name()} did not answer within $TIMEOUT", client.readLine())
            }
        }
    }

    @Test
    fun `garbage, a reply to something else and a reply too many are told apart`() = withServers(1) { (server) ->
        withMiddleware(config(listOf(server.address))) { address ->
            TextClient(address).use { client ->
                server.answer = { _, _ -> "hello\r\n" }
                assertEquals(
                    "SERVER_ERROR ${server.name()} sent not a reply of memcached: \"hello\"",
                    client.ask("get k"),
                )
                server.answer = { _, _ -> "STORED\r\n" }
                eventually("it is back") {
                    client.ask("get k") ==
                        "SERVER_ERROR ${server.name()} sent a reply to something else"
                }
                server.answer = { _, _ -> "VALUE other 0 1\r\nx\r\nEND\r\n" }
                eventually("it is back") {
                    client.ask("get k") ==
                        "SERVER_ERROR ${server.name()} sent a value nobody asked for"
                }
                server.answer = { _, _ -> "END\r\nEND\r\n" }
                eventually("it is back") { client.ask("get k") == "END" }
                server.answer = { _, reply -> reply }
                eventually("it is back") { client.ask("version") == "VERSION fake" }
            }
        }
    }

    private companion object {
        /** More than the sockets between a middleware and a server hold. */
        const val LARGE_BYTES = 8 shl 20

        /** Passes only when a test moves the clock on. */
        val TIMEOUT = 100.seconds
    }
}

class SequentialFailureTest : FailureTest(Dispatch.SEQUENTIAL)

class PipelinedFailureTest : FailureTest(Dispatch.PIPELINED)
