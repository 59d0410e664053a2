package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import mwlab.testing.ANY_PORT
import mwlab.testing.Running
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.middleware
import mwlab.testing.withServers
import org.junit.jupiter.api.io.TempDir
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** What should never happen: it is told, and ends no more than it must. */
@UsesSockets
class FaultTest {
    @TempDir
    lateinit var directory: Path

    private fun captureErrors(block: () -> Unit): String {
        val (stderr, captured) = System.err to ByteArrayOutputStream()
        System.setErr(PrintStream(captured, true))
        try {
            block()
        } finally {
            System.setErr(stderr)
        }
        return captured.toString()
    }

    @Test
    fun `a net thread's task that throws ends the process with results, an error that names it and exit code 1`() =
        withServers(1) { (server) ->
            val config = MiddlewareConfig(ANY_PORT, listOf(server.address), workers = 2, statsDirectory = directory)
            val middleware = middleware(config)
            val complaint = captureErrors {
                runBlocking {
                    val exitCode = async(Dispatchers.IO) { serve(middleware, config, CompletableDeferred()) }
                    middleware.netThreads.first().execute { throw AssertionError("wrong work") }
                    withTimeout(10.minutes) { assertEquals(1, exitCode.await()) }
                }
            }
            assertTrue("net thread net-0 failed: java.lang.AssertionError: wrong work" in complaint, complaint)
            val summary = directory.resolve("summary.json").readText()
            assertTrue("\"clean_shutdown\":true" in summary, summary)
        }

    @Test
    fun `a net thread that has ended keeps the middleware from nothing at its end`() = withServers(1) { (server) ->
        for (dispatch in Dispatch.entries) {
            val config = MiddlewareConfig(
                ANY_PORT,
                listOf(server.address),
                workers = 2,
                netThreads = 2,
                dispatch = dispatch,
                drainTimeout = 300.milliseconds,
                statsDirectory = directory,
            )
            val middleware = middleware(config)
            val running = Running(middleware)
            TextClient(running.address).use { client ->
                assertEquals("STORED", client.set("k", "1"))
                middleware.netThreads.first().close()
                running.stop()
            }
            assertTrue("\"arrivals\":1," in directory.resolve("summary.json").readText())
        }
    }

    @Test
    fun `failed connections are counted, and the first of each kind is told, briefly`() {
        val told = mutableListOf<String>()
        val failed = FailedConnections { told += it }
        fun overflow(): Int = overflow() + 1
        repeat(3) { failed.add(OutOfMemoryError("direct memory")) }
        runCatching { overflow() }.onFailure(failed::add)
        assertEquals(4, failed.count)
        assertEquals(2, told.size)
        assertTrue("OutOfMemoryError: direct memory" in told[0] && "StackOverflowError" in told[1], "$told")
        assertTrue(told.all { it.lines().size < 20 })
    }
}
