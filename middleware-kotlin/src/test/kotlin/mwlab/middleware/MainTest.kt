package mwlab.middleware

import mwlab.testing.Command
import mwlab.testing.FakeMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.eventually
import mwlab.testing.withServers
import org.junit.jupiter.api.io.TempDir
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.SocketException
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.io.path.createFile
import kotlin.io.path.readText
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** What a process does as a whole: exit codes, output, signals. */
@UsesSockets
class MainTest {
    @TempDir
    lateinit var directory: Path

    @Test
    fun `SIGTERM under load answers what was asked, writes the results and exits with 0`() =
        withServers(1) { (server) ->
            val stats = directory.resolve("made/by/it")
            Command(
                "-p",
                "0",
                "-t",
                "4",
                "-m",
                "127.0.0.1:${server.address.port}",
                "--stats-dir",
                "$stats",
            ).use { command ->
                val address = InetSocketAddress("127.0.0.1", command.awaitPort())
                val answered = AtomicInteger()
                val clients =
                    List(8) {
                        thread {
                            TextClient(address).use { client -> while (isAnswered(client)) answered.incrementAndGet() }
                        }
                    }
                eventually("there is a load") { answered.get() > 1000 }
                command.terminate()
                clients.forEach { it.join() }
                assertEquals(0, command.awaitExit())
                assertEquals(
                    "",
                    command.errors.readText().replace(
                        Regex("middleware: \\d+ requests came too late to be answered\n"),
                        "",
                    ),
                )
                val summary = stats.resolve("summary.json").readText()
                assertTrue("\"clean_shutdown\":true" in summary)
                assertTrue("\"arrivals\":${answered.get()}," in summary, "$answered answered, but $summary")
            }
        }

    /** Sends one get: true if it is answered whole, false if the connection was closed instead. */
    private fun isAnswered(client: TextClient): Boolean {
        val reply = try {
            client.ask("get k")
        } catch (_: SocketException) {
            null
        }
        if (reply != null) assertEquals("END", reply)
        return reply != null
    }

    @Test
    fun `no reply is cut by SIGTERM, and what came too late is counted`() = withServers(1) { (server) ->
        // All have arrived by the end, about a hundred are in the middleware's buffer then: there are five seconds for these.
        val key = "k".repeat(60)
        server.values[key] = "x".repeat(10_000)
        repeat(5) {
            Command("-p", "0", "-m", "127.0.0.1:${server.address.port}").use { command ->
                TextClient(InetSocketAddress("127.0.0.1", command.awaitPort())).use { client ->
                    client.send("get $key\r\n".repeat(REQUESTS))
                    var answered = 0
                    while (true) {
                        val reply = client.readUntil("END")
                        if (reply.isEmpty()) break
                        assertEquals(listOf("VALUE $key 0 10000", server.values[key], "END"), reply, "reply $answered")
                        if (answered++ == 0) command.terminate()
                    }
                    assertEquals(0, command.awaitExit())
                    val late = command.errors.readText()
                    val missing = REQUESTS - answered
                    if (missing > 0) {
                        assertEquals("middleware: $missing requests came too late to be answered\n", late)
                    }
                }
            }
        }
    }

    private fun withOneWorker(server: FakeMemcached) =
        arrayOf("-p", "0", "-t", "1", "-m", "127.0.0.1:${server.address.port}")

    /** Makes [server], which has answered so far, owe [client] a reply. */
    private fun fallSilent(server: FakeMemcached, client: TextClient) {
        eventually("the server is connected") { client.ask("get k") == "END" }
        server.answer = { line, reply -> if (line == "get unanswered") "" else reply }
        client.send("get unanswered\r\n")
        eventually("the server is asked") { "get unanswered" in server.lines }
    }

    @Test
    fun `requests that no server answers do not keep it from ending`() = withServers(1) { (server) ->
        Command(*withOneWorker(server), "--server-timeout", "200ms").use { command ->
            TextClient(InetSocketAddress("127.0.0.1", command.awaitPort())).use { client ->
                fallSilent(server, client)
                command.terminate()
                assertEquals(
                    "SERVER_ERROR 127.0.0.1:${server.address.port} did not answer within 200ms",
                    client.readLine(),
                )
                assertNull(client.readLine())
            }
            assertEquals(0, command.awaitExit())
        }
    }

    @Test
    fun `a second SIGTERM ends it at once`() = withServers(1) { (server) ->
        Command(*withOneWorker(server), "--server-timeout", "1000s").use { command ->
            val address = InetSocketAddress("127.0.0.1", command.awaitPort())
            TextClient(address).use { client ->
                fallSilent(server, client)
                command.terminate()
                // Two signals that come before the first one is handled are one.
                eventually("no more clients are accepted") { runCatching { TextClient(address).close() }.isFailure }
                command.terminate()
                assertEquals(128 + 15, command.awaitExit())
            }
        }
    }

    @Test
    fun `a port in use is one line with the address and what to do`() {
        ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")).use { taken ->
            Command("-p", "${taken.localPort}", "-m", "127.0.0.1:1").use { command ->
                assertEquals(1, command.awaitExit())
                assertEquals(
                    "middleware: cannot listen on 127.0.0.1:${taken.localPort}: Address already in use; " +
                        "stop what uses it (ss -lntxp) or choose another\n",
                    command.errors.readText(),
                )
            }
        }
    }

    @Test
    fun `an admin port in use is told apart`() {
        ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")).use { taken ->
            Command("-p", "0", "-m", "127.0.0.1:1", "--admin", "127.0.0.1:${taken.localPort}").use { command ->
                assertEquals(1, command.awaitExit())
                val complaint = command.errors.readText()
                assertTrue(
                    complaint.startsWith("middleware: cannot listen on 127.0.0.1:${taken.localPort}: "),
                    complaint,
                )
            }
        }
    }

    @Test
    fun `a rehearsal listens, and stops at once`() {
        Command("-p", "0", "-m", "127.0.0.1:1", javaOption = "-Dmwlab.rehearsal=true").use { command ->
            assertTrue(command.output.readText().startsWith("listening on 127.0.0.1:"))
            assertEquals(0, command.awaitExit())
        }
    }

    @Test
    fun `a wrong option is one line and exit code 2`() = Command("-p", "0").use { command ->
        assertEquals(2, command.awaitExit())
        assertEquals(
            "middleware: at least one server is needed (-m <ip:port> ...) (see --help)\n",
            command.errors.readText(),
        )
    }

    @Test
    fun `a directory that cannot be made is one line and exit code 1`() {
        val file = directory.resolve("file").createFile()
        Command("-p", "0", "-m", "127.0.0.1:1", "--stats-dir", "$file/stats").use { command ->
            assertEquals(1, command.awaitExit())
            assertTrue(command.errors.readText().startsWith("middleware: cannot write to --stats-dir $file/stats: "))
        }
    }

    @Test
    fun `the version and the help are printed`() {
        Command("--version").use { assertEquals("middleware development\n", it.output.readText()) }
        Command("--help").use { assertEquals(Invocation.HELP, it.output.readText()) }
    }

    private companion object {
        /** More than a middleware reads at a time. */
        const val REQUESTS = 1000
    }
}
