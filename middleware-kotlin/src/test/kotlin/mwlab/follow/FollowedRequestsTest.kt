package mwlab.follow

import mwlab.loadgen.Generation
import mwlab.loadgen.VirtualGeneration
import mwlab.middleware.Dispatch
import mwlab.middleware.MiddlewareConfig
import mwlab.net.EventLoop
import mwlab.net.text
import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.MemoryConnection
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.io.path.exists
import kotlin.io.path.readLines
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue

/** Generator and middleware follow the same requests, and their stamps are in the order in which things happen. */
@UsesSockets
class FollowedRequestsTest {
    @TempDir
    lateinit var directory: Path

    private fun config(servers: List<FakeMemcached>, oneOf: Int?, dispatch: Dispatch = Dispatch.SEQUENTIAL) =
        MiddlewareConfig(
            ANY_PORT,
            servers.map { it.address },
            workers = 2,
            dispatch = dispatch,
            statsDirectory = directory,
            follow = oneOf?.let(::Follow),
        )

    private fun rows(name: String): List<Map<String, String>> {
        val lines = directory.resolve(name).readLines().map { it.split(',') }
        return lines.drop(1).map { cells -> lines.first().zip(cells).toMap() }
    }

    private fun Map<String, String>.ns(column: String) = getValue(column).split(';').map { it.toLong() }

    private fun key(row: Map<String, String>) = row["client"] to row["number"]

    private fun load(servers: List<FakeMemcached>, dispatch: Dispatch, words: String) =
        withMiddleware(config(servers, oneOf = 7, dispatch)) { address ->
            val run = Generation.of(
                address.port,
                "$words --follow=1/7 --follow-file-prefix=$directory/load",
            )
            assertEquals(0, run.status, run.err)
        }

    private fun check(servers: List<FakeMemcached>, requests: Int) {
        val (sent, passed) = rows("load-followed.csv") to rows("followed.csv")
        assertEquals(sent.map(::key).toSet(), passed.map(::key).toSet())
        assertEquals(sent.size, sent.map(::key).toSet().size)
        assertTrue(sent.size in requests / 7 - 8..requests / 7 + 8, "${sent.size} of $requests")
        val ofMiddleware = passed.associateBy(::key)
        for (row in sent) inOrder(row, ofMiddleware.getValue(key(row)), servers)
    }

    private fun inOrder(sent: Map<String, String>, passed: Map<String, String>, servers: List<FakeMemcached>) {
        val names = passed.getValue("servers").split(';')
        val asked = if (sent["operation"] == "set") servers.map { it.address.text } else names.take(1)
        assertEquals(sent["operation"], passed["request_type"])
        assertEquals(asked, names)
        assertTrue(passed.getValue("worker").toInt() in 0..1)
        val within = listOf("first_byte_ns", "enqueued_ns", "dequeued_ns", "sent_ns", "answered_ns", "replied_ns")
            .map { passed.ns(it) }
        assertEquals(names.size, within[3].size)
        for ((earlier, later) in within.zipWithNext()) {
            earlier.zip(later).forEach { (one, other) -> assertTrue(one <= other, "$passed") }
        }
        val slack = 2_000_000 // the clocks of the two were read apart
        assertTrue(sent.ns("sent_ns").single() <= within.first().single() + slack, "$sent $passed")
        // Not `replied_ns`, which is read after the reply was written: the client may have it by then.
        assertTrue(passed.ns("answered_ns").max() <= sent.ns("last_byte_ns").single() + slack, "$sent $passed")
        assertTrue(sent.ns("first_byte_ns").single() <= sent.ns("last_byte_ns").single())
    }

    @Test
    fun `both sides follow the same requests, of sequential workers`() = withServers(2) { servers ->
        load(servers, Dispatch.SEQUENTIAL, "-t 2 -c 2 -n 100 --ratio=1:1")
        check(servers, requests = 400)
    }

    @Test
    fun `both sides follow the same requests, of a pipelined worker and of clients that send ahead`() =
        withServers(2) { servers ->
            load(servers, Dispatch.PIPELINED, "-t 1 -c 3 -n 150 --ratio=1:1 --pipeline=4")
            check(servers, requests = 450)
        }

    @Test
    fun `a new connection is numbered anew`() = withServers(1) { servers ->
        load(servers, Dispatch.SEQUENTIAL, "-t 1 -c 1 -n 100 --ratio=0:1 --reconnect-interval=20")
        check(servers, requests = 100)
        assertTrue(rows("followed.csv").all { it.getValue("number").toInt() < 20 })
    }

    @Test
    fun `an open loop tells when a request was due, a thinking client when it had thought, others nothing`() {
        val intended = mapOf(
            "-t 1 -c 2 --test-time=1 --arrivals=poisson --rate=100" to true,
            "-t 1 -c 1 -n 20 --think-time=2" to true,
            "-t 1 -c 1 -n 20" to false,
        )
        for ((words, isTold) in intended) {
            val run = Generation.against("$words --follow=1/1 --follow-file-prefix=$directory/load")
            assertEquals(0, run.status, run.err)
            for (row in rows("load-followed.csv").drop(1)) {
                assertEquals(isTold, row.getValue("intended_ns").isNotEmpty(), "$words: $row")
                if (isTold) assertTrue(row.ns("intended_ns").single() <= row.ns("sent_ns").single(), "$words: $row")
            }
        }
    }

    @Test
    fun `a reply in two parts has a first and a last byte`() {
        val words = "-t 1 -c 1 -n 3 --ratio=0:1 --follow=1/1 --follow-file-prefix=$directory/load"
        assertEquals(0, VirtualGeneration(words, connect = ::answeringInParts).run().status)
        val lengths = rows("load-followed.csv").map { it.ns("last_byte_ns").single() - it.ns("first_byte_ns").single() }
        assertEquals(List(3) { 300_000_000L }, lengths)
    }

    /** A server whose reply comes 200 ms after the request, and its second part 300 ms after the first. */
    private fun answeringInParts(loop: EventLoop) = MemoryConnection(loop) {
        val nanos = loop.clock.nanos()
        loop.startTimer(nanos + 200_000_000) { receive("VALUE k 0 5\r\nhe") }
        loop.startTimer(nanos + 500_000_000) { receive("llo\r\nEND\r\n") }
    }

    @Test
    fun `a multi-get has its type, and requests that no server is asked for have none`() = withServers(1) { servers ->
        withMiddleware(config(servers, oneOf = 1)) { address ->
            TextClient(address).use { client ->
                client.set("k", "value")
                client.ask("mn")
                client.ask("nonsense")
                client.get("k", "none", "k")
            }
        }
        assertEquals(
            listOf("0" to "set", "3" to "multi-get-3"),
            rows("followed.csv").map { it.getValue("number") to it.getValue("request_type") },
        )
        assertEquals("start_ns,length_ns,cause", directory.resolve("pauses.csv").readLines().first())
    }

    @Test
    fun `nothing is written unless it is asked for`() = withServers(1) { servers ->
        withMiddleware(config(servers, oneOf = null)) { address ->
            TextClient(address).use { client -> client.get("k") }
        }
        assertFalse(directory.resolve("followed.csv").exists())
        assertFalse(directory.resolve("pauses.csv").exists())
    }

    @Test
    fun `a middleware needs somewhere to write, and measured times`() {
        for (lacking in listOf(directory to false, null to true)) {
            val failure = assertFailsWith<IllegalArgumentException> {
                MiddlewareConfig(
                    ANY_PORT,
                    listOf(ANY_PORT),
                    statsDirectory = lacking.first,
                    instrumentation = lacking.second,
                    follow = Follow(10),
                )
            }
            assertTrue("--stats-dir" in failure.message.orEmpty(), failure.message)
        }
    }

    @Test
    fun `a generator is told both, or neither, and a share`() {
        val mistakes = mapOf(
            "--follow=1/10" to "--follow and --follow-file-prefix must be given together",
            "--follow-file-prefix=x" to "--follow and --follow-file-prefix must be given together",
            "--follow=0.1 --follow-file-prefix=x" to "follow must be expressed as 1/[1-n]",
            "--follow=1/5 --follow-file-prefix=x --run-count=2" to "--follow cannot be combined with --run-count",
        )
        for ((words, told) in mistakes) {
            val run = Generation.against(words)
            assertEquals(2, run.status)
            assertTrue(told in run.err, run.err)
        }
    }

    @Test
    fun `files that cannot be written are a failure`() {
        val run = Generation.against("-n 1 --follow=1/1 --follow-file-prefix=$directory/none/load")
        assertEquals(1, run.status)
        assertTrue("none/load-followed.csv" in run.err, run.err)
    }
}
