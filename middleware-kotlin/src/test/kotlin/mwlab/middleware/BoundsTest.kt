package mwlab.middleware

import com.sun.management.UnixOperatingSystemMXBean
import mwlab.testing.ANY_PORT
import mwlab.testing.Command
import mwlab.testing.TRANSPORT
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.eventually
import mwlab.testing.withClocked
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.junit.jupiter.api.Assumptions.assumeTrue
import java.lang.management.BufferPoolMXBean
import java.lang.management.ManagementFactory
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.Socket
import java.nio.file.Path
import kotlin.io.path.readLines
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.seconds

/** Clients that are slow, silent, gone or many: what they hold is bounded, and others are served. */
@UsesSockets
abstract class BoundsTest(private val dispatch: Dispatch) {
    private fun config(server: InetSocketAddress, netThreads: Int = 2) = MiddlewareConfig(
        ANY_PORT,
        listOf(server),
        workers = 2,
        netThreads = netThreads,
        dispatch = dispatch,
        maxBufferBytes = 8L shl 20,
        clientTimeout = CLIENT_TIMEOUT,
        serverTimeout = 1000.days,
    )

    private fun TextClient.own(name: String): Long {
        send("stats\r\n")
        return readUntil("END").first { it.startsWith("STAT mw_$name ") }.substringAfterLast(' ').toLong()
    }

    private fun clients(
        address: InetSocketAddress,
        count: Int,
        receiveBytes: Int? = null,
        test: (List<TextClient>) -> Unit,
    ) {
        val clients = List(count) { TextClient(address, receiveBytes = receiveBytes) }
        try {
            test(clients)
        } finally {
            clients.forEach { it.close() }
        }
    }

    @Test
    fun `what is announced takes no memory, only what arrives`() = withServers(1) { (server) ->
        withMiddleware(config(server.address)) { address ->
            clients(address, 300) { clients ->
                clients.forEach { it.send("set k 0 0 $MEBIBYTE\r\nx") }
                TextClient(address).use { other ->
                    assertEquals("STORED", other.set("other", "1"))
                    assertEquals(0, other.own("buffer_bytes"))
                }
                for (byte in "yz") clients.forEach { it.send("$byte") }
                clients[0].send("x".repeat(MEBIBYTE - 3) + "\r\n")
                assertEquals("STORED", clients[0].readLine())
            }
        }
    }

    @Test
    fun `uploads beyond the limit are refused as memcached does, and others are served`() = withServers(1) { (server) ->
        withMiddleware(config(server.address)) { address ->
            clients(address, 30) { clients ->
                clients.forEach { it.send("set k 0 0 $MEBIBYTE\r\n" + "x".repeat(MEBIBYTE - 1)) }
                TextClient(address).use { other ->
                    assertEquals("STORED", other.set("other", "1"))
                    assertTrue(other.own("buffer_bytes") <= 8L shl 20)
                    clients.forEach { it.send("x\r\n") }
                    val replies = clients.map { it.readLine() }
                    assertEquals(setOf("STORED", "SERVER_ERROR out of memory storing object"), replies.toSet())
                    clients.forEach { assertEquals("STORED", it.set("k", "small")) }
                    eventually("all is given back") { other.own("buffer_bytes") == 0L }
                }
            }
        }
    }

    @Test
    fun `clients that never read hold a bounded backlog and are closed in time`() = withServers(1) { (server) ->
        withClocked(config(server.address)) { running ->
            val address = running.address
            TextClient(address).use { it.set("k", "x".repeat(MEBIBYTE)) }
            clients(address, 12) { clients ->
                clients.forEach { client -> client.send("get k k k\r\n".repeat(10)) }
                TextClient(address).use { other ->
                    repeat(50) { assertEquals("STORED", other.set("other", "1")) }
                    assertTrue(other.own("buffer_bytes") <= 8L shl 20)
                    running.skipUntil(CLIENT_TIMEOUT, "one is closed") { other.own("stalled_connections_closed") > 0 }
                    clients.forEach { it.close() }
                    // Requests of clients that are gone, but not yet noticed, may take memory for a moment more.
                    eventually("all is given back") { other.own("buffer_bytes") == 0L }
                    eventually("others are served") { other.get("k").getOrNull(1)?.length == MEBIBYTE }
                }
            }
        }
    }

    @Test
    fun `small replies that nobody reads take bounded memory, and who does not read them is closed`() =
        withServers(1) { (server) ->
            withClocked(config(server.address, netThreads = 1)) { running ->
                TextClient(running.address).use { it.set("k", "x".repeat(12 * 1024)) }
                val direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean::class.java)
                    .first { it.name == "direct" }
                val before = direct.memoryUsed
                clients(running.address, 60, receiveBytes = 4096) { clients ->
                    clients.forEach { client -> client.send("get k\r\n".repeat(400)) }
                    TextClient(running.address).use { other ->
                        eventually("memory is exhausted") { other.own("buffer_bytes") >= 8L shl 20 }
                        assertTrue(other.own("buffer_bytes") <= 10L shl 20)
                        running.skipUntil(1.seconds, "some are closed") { other.own("stalled_connections_closed") > 0 }
                        eventually("others are served") { other.set("other", "1") == "STORED" }
                    }
                }
                val taken = direct.memoryUsed - before
                assertTrue(taken < 32L shl 20, "$taken bytes")
            }
        }

    @Test
    fun `a client that stops within a request is closed in time, one between requests is not`() =
        withServers(1) { (server) ->
            withClocked(config(server.address)) { running ->
                clients(running.address, 3) { (idle, stopped, slow) ->
                    assertEquals("STORED", idle.set("k", "1"))
                    stopped.send("set k 0 0 5\r\n1")
                    slow.send("set k 0 0 20\r\n")
                    repeat(20) {
                        slow.send("x")
                        running.skip(CLIENT_TIMEOUT / 10)
                    }
                    slow.send("\r\n")
                    assertEquals("STORED", slow.readLine())
                    assertNull(stopped.readLine())
                    assertEquals("STORED", idle.set("k", "2"))
                    assertEquals(1, idle.own("stalled_connections_closed"))
                }
            }
        }

    @Test
    fun `a client that stops within data that was refused is closed in time, one that moves on is not`() =
        withServers(1) { (server) ->
            withClocked(config(server.address)) { running ->
                clients(running.address, 2) { (stopped, slow) ->
                    for (client in listOf(stopped, slow)) {
                        client.send("add k 0 0 ${2 * MEBIBYTE}\r\n" + "x".repeat(1000))
                        assertEquals("SERVER_ERROR object too large for cache", client.readLine())
                    }
                    repeat(20) {
                        slow.send("x".repeat(1000))
                        running.skip(CLIENT_TIMEOUT / 10)
                    }
                    slow.send("x".repeat(2 * MEBIBYTE - 21_000) + "\r\n")
                    assertEquals("STORED", slow.set("k", "1"))
                    assertNull(stopped.readLine())
                    assertEquals(1, slow.own("stalled_connections_closed"))
                }
            }
        }

    @Test
    fun `clients that vanish at any point leave nothing behind`() = withServers(1) { (server) ->
        withMiddleware(config(server.address)) { address ->
            TextClient(address).use { other ->
                other.set("k", "x".repeat(300_000))
                val script = "get k\r\nset a 0 0 200000\r\n${"y".repeat(200_000)}\r\nget k k k k\r\nget k"
                repeat(60) { round ->
                    Socket(address.address, address.port).use { socket ->
                        if (round % 2 == 0) socket.setSoLinger(true, 0)
                        socket.getOutputStream().write(script.take(script.length * (round + 1) / 60).toByteArray())
                    }
                }
                eventually("they are gone") { other.own("curr_connections") == 1L && other.own("buffer_bytes") == 0L }
                assertEquals("STORED", other.set("k", "1"))
                assertEquals(listOf("VALUE k 0 1", "1"), other.get("k"))
            }
        }
    }

    @Test
    fun `ten thousand clients are served, in bounded memory`() = withServers(1) { (server) ->
        val files = ManagementFactory.getOperatingSystemMXBean() as UnixOperatingSystemMXBean
        assumeTrue(files.maxFileDescriptorCount > CLIENTS + 1000, "too few file descriptors")
        val dispatch = dispatch.option
        val options = arrayOf("--dispatch", dispatch, "--server-timeout", "10m", "--client-timeout", "10m")
        Command("-p", "0", "-m", "127.0.0.1:${server.address.port}", *options).use { command ->
            val address = InetSocketAddress(InetAddress.getByName("127.0.0.1"), command.awaitPort())
            val clients = List(CLIENTS) { Socket(address.address, address.port).apply { soTimeout = TIMEOUT_MS } }
            clients.forEach { it.getOutputStream().write("set k 0 0 4096\r\n${"x".repeat(4000)}".toByteArray()) }
            TextClient(address, TIMEOUT_MS).use { other -> assertEquals("STORED", other.set("other", "1")) }
            clients.forEach { it.getOutputStream().write("${"x".repeat(96)}\r\n".toByteArray()) }
            for (client in clients) assertEquals("STORED", line(client))
            val next = "set k 0 0 4096\r\n${"x".repeat(4096)}\r\n".toByteArray()
            clients.forEach { it.getOutputStream().write(next) }
            for (client in clients) assertEquals("STORED", line(client))
            val rss = Path.of("/proc/${command.pid}/status").readLines().first { it.startsWith("VmRSS") }
                .filter(Char::isDigit).toLong() / 1024
            println("$CLIENTS clients, $dispatch: RSS $rss MiB")
            assertTrue(rss < if (TRANSPORT == TransportKind.LOOP) 512 else 1024, "$rss MiB")
            clients.forEach { it.close() }
        }
    }

    private fun line(client: Socket): String =
        generateSequence { client.getInputStream().read() }.takeWhile { it != '\n'.code && it >= 0 }
            .joinToString("") { "${it.toChar()}" }.trimEnd()

    private companion object {
        const val MEBIBYTE = 1 shl 20
        const val CLIENTS = 9_990

        /** Only ends a test that hangs: on a busy machine, so many clients take their time. */
        const val TIMEOUT_MS = 600_000

        /** Passes only when a test moves the clock on. */
        val CLIENT_TIMEOUT = 100.seconds
    }
}

class SequentialBoundsTest : BoundsTest(Dispatch.SEQUENTIAL)

class PipelinedBoundsTest : BoundsTest(Dispatch.PIPELINED)
