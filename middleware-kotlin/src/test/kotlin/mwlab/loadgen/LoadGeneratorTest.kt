package mwlab.loadgen

import mwlab.testing.FakeMemcached
import mwlab.testing.UsesSockets
import mwlab.testing.VirtualMemcached
import mwlab.testing.eventually
import mwlab.testing.freePort
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds

@UsesSockets
class LoadGeneratorTest {
    @Test
    fun `every client sends its requests and each is counted once`() {
        FakeMemcached().use { server ->
            val words = "-t 2 -c 2 -n 30 --ratio=1:2 --multi-key-get=2 --key-maximum=100"
            val run = Generation.of(server.address.port, words)
            assertEquals(0, run.status, run.err)
            assertEquals(60.0, run.number("Sets", "Count"))
            assertEquals(60.0, run.number("Gets", "Count"))
            assertEquals(120, server.lines.size)
        }
    }

    @Test
    fun `a pipelined client has several requests under way and matches replies in order`() {
        val run = Generation.against("-t 1 -c 1 -n 1000 --pipeline=7 --ratio=1:3 --key-maximum=100")
        assertEquals(0, run.status, run.err)
        assertEquals(listOf(250.0, 750.0), listOf("Sets", "Gets").map { run.number(it, "Count") })
    }

    @Test
    fun `all keys in parallel are each set once`() {
        FakeMemcached().use { server ->
            val words = "-t 2 -c 3 -n allkeys --key-pattern=P:P --ratio=1:0 --key-minimum=1 --key-maximum=100"
            assertEquals(0, Generation.of(server.address.port, words).status)
            val keys = server.lines.map { it.split(' ')[1] }.sorted()
            assertEquals((1..100).map { "memtier-$it" }.sorted(), keys)
        }
    }

    @Test
    fun `error replies are counted apart and the client goes on`() {
        val requests = AtomicInteger()
        val run = Generation.against("-t 1 -c 1 -n 10 --ratio=1:0") { _, reply ->
            if (requests.incrementAndGet() % 2 == 0) "SERVER_ERROR out of memory\r\n" else reply
        }
        assertEquals(0, run.status, run.err)
        assertEquals(5.0, run.number("Sets", "Count"))
        assertEquals(5.0, run.number("middleware-lab", "Error replies", "Sets"))
        assertEquals(5.0, run.number("middleware-lab", "Lines", "SERVER_ERROR out of memory"))
        assertEquals(1, Regex("handle error response: SERVER_ERROR out of memory").findAll(run.err).count())
    }

    @Test
    fun `nothing but errors is a failure`() {
        val run = Generation.against("-t 1 -c 1 -n 10 --ratio=1:0") { _, _ -> "NOT_STORED\r\n" }
        assertEquals(1, run.status)
        assertTrue("nothing was measured" in run.err, run.err)
    }

    @Test
    fun `a run that ends with errors lasts until the last of them`() {
        var requests = 0
        val server = VirtualMemcached({ 100.milliseconds }) { _, reply -> if (++requests > 5) "ERROR\r\n" else reply }
        val run = VirtualGeneration("-t 1 -c 1 -n 10", connect = server::connectOn).run()
        assertEquals(5.0, run.number("Totals", "Count"))
        assertEquals(5.0, run.number("Totals", "Ops/sec"), 0.1)
    }

    @Test
    fun `a server that falls silent cannot hold up a timed run`() {
        var requests = 0
        val server = VirtualMemcached({ 1.milliseconds }) { _, reply -> if (++requests > 20) "" else reply }
        val run = VirtualGeneration("-t 1 -c 2 --test-time=1", connect = server::connectOn).run()
        assertEquals(1, run.status)
        assertEquals(20.0, run.number("Totals", "Count"))
        assertEquals(20.0, run.number("Totals", "Ops/sec"), 0.1, "over the whole time, not until the silence")
        assertEquals(2.0, run.number("middleware-lab", "Unanswered requests"))
    }

    @Test
    fun `a dropped connection is a failure unless the client may reconnect`() {
        fun droppingOnce(words: String): Generation {
            val requests = AtomicInteger()
            return Generation.against(words) { _, reply -> if (requests.incrementAndGet() == 5) null else reply }
        }
        val given = droppingOnce("-t 1 -c 1 -n 10")
        assertEquals(1, given.status)
        assertEquals(4.0, given.number("Totals", "Count"))
        assertEquals(1.0, given.number("Totals", "Connection Errors"))
        val retried = droppingOnce("-t 1 -c 1 -n 10 --reconnect-on-error")
        assertEquals(0, retried.status, retried.err)
        assertEquals(9.0, retried.number("Totals", "Count"))
        assertEquals(1.0, retried.number("middleware-lab", "Lost requests"))
    }

    @Test
    fun `bytes that are no reply end the connection`() {
        val run = Generation.against("-t 1 -c 1 -n 10") { _, _ -> "HTTP/1.1 400 Bad Request\r\n" }
        assertEquals(1, run.status)
    }

    @Test
    fun `a server that is not there is a failure that names it`() {
        val port = freePort()
        val run = Generation.of(port, "-t 1 -c 1 --test-time=1")
        assertEquals(1, run.status)
        assertTrue("error: 127.0.0.1:$port: Connection refused" in run.err, run.err)
    }

    @Test
    fun `bad options are told from failures, and help and version are successes`() {
        assertEquals(2, Generation.of(1, "--bogus").status)
        assertTrue("--key-pattern=PATTERN" in Generation.of(1, "--help").out)
        assertTrue(Generation.of(1, "--version").out.startsWith("memtier_benchmark v=2.3.1 "))
    }

    @Test
    fun `an interrupted run reports what it measured`() {
        val interruption = Interruption()
        FakeMemcached().use { server ->
            thread {
                // The second request says that the reply to the first has been counted.
                eventually("a reply") { server.lines.size > 1 }
                interruption.request()
            }
            // Without the interruption, it would end after a day.
            val run = Generation.of(server.address.port, "-t 1 -c 1 --test-time=86400", interruption)
            assertEquals(0, run.status, run.err)
            assertTrue("\"Interrupted\": \"true\"" in run.json)
            assertTrue(run.number("Totals", "Count") > 0)
        }
    }
}
