package mwlab.middleware

import mwlab.loadgen.Interruption
import mwlab.loadgen.LoadGenerator
import mwlab.testing.RealMemcached
import mwlab.testing.Running
import mwlab.testing.UsesPrograms
import mwlab.testing.withServers
import org.junit.jupiter.api.io.TempDir
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.PrintStream
import java.net.StandardProtocolFamily
import java.net.UnixDomainSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.exists
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** Clients and servers that are reached by Unix domain sockets; of the event loop alone. */
@UsesPrograms
class UnixSocketTest {
    @TempDir
    lateinit var directory: Path

    private val front by lazy { UnixDomainSocketAddress.of(directory.resolve("front")) }
    private val back by lazy { directory.resolve("back") }

    private fun config(dispatch: Dispatch = Dispatch.SEQUENTIAL) =
        MiddlewareConfig(front, listOf(UnixDomainSocketAddress.of(back)), workers = 2, dispatch = dispatch)

    private fun running(config: MiddlewareConfig = config()) = Running(Middleware(config))

    private fun ask(text: String, length: Int): String = SocketChannel.open(front).use { channel ->
        channel.write(ByteBuffer.wrap(text.toByteArray()))
        String(Channels.newInputStream(channel).readNBytes(length))
    }

    @Test
    fun `clients and servers may come by Unix domain sockets`() = RealMemcached(unixSocket = back).use {
        for (dispatch in Dispatch.entries) {
            val running = running(config(dispatch))
            assertEquals(front, running.listensOn)
            val replies = "STORED\r\nVALUE k 0 5\r\nvalue\r\nEND\r\n"
            assertEquals(replies, ask("set k 0 0 5\r\nvalue\r\nget k\r\n", replies.length))
            assertNull(running.stop().fault)
            assertFalse(front.path.exists())
        }
    }

    @Test
    fun `the generator sends to a Unix domain socket`() = RealMemcached(unixSocket = back).use {
        val running = running()
        val (out, json) = ByteArrayOutputStream() to directory.resolve("json")
        val words = "-S ${front.path} -P memcache_text -t 1 -c 4 -n 50 --ratio=1:1 --json-out-file=$json"
        val generator = LoadGenerator(PrintStream(out), PrintStream(out), Interruption(), "".reader().buffered())
        assertEquals(0, generator.run(words.split(' ')), "$out")
        assertTrue("\"unix socket\": \"${front.path}\"" in json.readText())
        assertNull(running.stop().fault)
    }

    @Test
    fun `a socket that a killed process has left is replaced`() = RealMemcached(unixSocket = back).use {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(front).close()
        assertTrue(front.path.exists())
        val running = running()
        assertEquals("STORED\r\n", ask("set k 0 0 1\r\n1\r\n", 8))
        assertNull(running.stop().fault)
    }

    @Test
    fun `a socket in use, and a file that is none, are left alone`() {
        val running = running()
        assertTrue("Address already in use" in assertFailsWith<IOException> { running() }.message!!)
        running.stop()
        front.path.writeText("precious")
        assertTrue("cannot listen on unix:${front.path}: " in assertFailsWith<IOException> { running() }.message!!)
        assertEquals("precious", Files.readString(front.path))
    }

    @Test
    fun `a server behind TCP and one behind a socket serve together`() = RealMemcached(unixSocket = back).use {
        withServers(1) { (server) ->
            val servers = listOf(server.address, UnixDomainSocketAddress.of(back))
            val ring = MiddlewareConfig(front, servers, workers = 1)
            val running = running(ring)
            assertEquals("STORED\r\n", ask("set k 0 0 1\r\n1\r\n", 8))
            assertEquals("1", server.values["k"])
            running.stop()
        }
    }
}
