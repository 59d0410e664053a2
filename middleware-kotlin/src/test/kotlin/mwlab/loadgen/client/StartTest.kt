package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.Interruption
import mwlab.loadgen.LoadGenerator
import mwlab.testing.FakeMemcached
import mwlab.testing.UsesSockets
import mwlab.testing.freePort
import java.io.BufferedReader
import java.io.ByteArrayOutputStream
import java.io.PipedReader
import java.io.PipedWriter
import java.io.PrintStream
import java.io.StringReader
import java.net.InetAddress
import java.net.ServerSocket
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** When a run starts, as standard input says. */
@UsesSockets
class StartTest {
    /** Says, when it is asked, that the run starts in a second. */
    private class InOneSecond : BufferedReader(StringReader("")) {
        @Volatile
        var startMs = 0L

        override fun readLine(): String {
            startMs = System.currentTimeMillis() + 1000
            return "%.3f".format(java.util.Locale.ROOT, startMs / 1e3)
        }
    }

    @Test
    fun `clients report that they are ready and start at the time they receive`() {
        val input = InOneSecond()
        FakeMemcached().use { server ->
            val run = Generation.of(server.address.port, "-t 2 -c 2 -n 5 --start-at=-", input = input)
            assertEquals(0, run.status, run.err)
            assertEquals("ready", run.out.lines().first())
            assertEquals(input.startMs.toDouble(), run.number("Runtime", "Start time"), 1.0)
        }
    }

    @Test
    fun `a generator with a start signal waits until the server listens`() {
        val free = freePort()
        val server = AtomicReference<ServerSocket>()
        val opening = thread {
            Thread.sleep(100) // the generator finds nobody at first
            server.set(ServerSocket(free, 1, InetAddress.getLoopbackAddress()))
        }
        val run = Generation.of(free, "-t 1 -c 1 -n 1 --start-at=-", input = "1000\n".reader().buffered())
        opening.join()
        server.get().close()
        assertEquals("ready", run.out.lines().first(), run.err)
        assertTrue("--start-at has passed" in run.err, run.err)
    }

    @Test
    fun `a start that is not told is a failure`() {
        for (input in listOf("", "soon\n", "-1\n")) {
            val run = Generation.against("-n 1 --start-at=-", input)
            assertEquals(1, run.status)
            assertTrue("no second since 1970 was told" in run.err, run.err)
        }
    }

    @Test
    fun `who waits for the start can be interrupted`() {
        val interruption = Interruption()
        val (reader, writer) = PipedReader() to PipedWriter()
        writer.connect(reader) // nothing is ever written
        FakeMemcached().use { server ->
            val words = "-s 127.0.0.1 -p ${server.address.port} -P memcache_text -n 1 --start-at=-"
            val (out, err) = ByteArrayOutputStream() to ByteArrayOutputStream()
            val generator = LoadGenerator(PrintStream(out), PrintStream(err), interruption, reader.buffered())
            thread {
                while ("ready" !in out.toString()) Thread.sleep(5)
                interruption.request()
            }
            assertEquals(1, generator.run(words.split(' ')))
            assertTrue("interrupted before the start" in err.toString(), err.toString())
        }
    }
}
