package mwlab.middleware.database

import mwlab.middleware.MiddlewareConfig
import mwlab.testing.Clocked
import mwlab.testing.RealPostgres
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.eventually
import mwlab.testing.withClocked
import mwlab.testing.withMiddleware
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.TestInstance
import java.net.InetSocketAddress
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** What fails in a database, and what clients hear of it, in time. */
@UsesPrograms
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseFailureTest {
    private val postgres = RealPostgres(mapOf("max_connections" to "12", "superuser_reserved_connections" to "3"))
    private val url = postgres.url("queues")
    private val name = "127.0.0.1:${postgres.port}/queues"

    @AfterAll
    fun close() = postgres.close()

    @BeforeEach
    fun clear() {
        if (!postgres.isRunning) postgres.start()
        postgres.sql("DROP SCHEMA IF EXISTS message_queue CASCADE", "queues")
    }

    /** What the middleware says of the database: `<what> <number>`. */
    private fun TextClient.own(what: String): Int {
        send("stats\r\n")
        return readUntil("END").first { it.startsWith("STAT mw_server:$name:$what ") }.substringAfterLast(' ').toInt()
    }

    private fun withClient(config: MiddlewareConfig, test: (TextClient) -> Unit) =
        withMiddleware(config) { address: InetSocketAddress -> TextClient(address).use(test) }

    /** As [withClient]. Where the middleware's clock [standsStill], the database is the one of the two that gives up. */
    private fun withClockedClient(
        config: MiddlewareConfig,
        standsStill: Boolean = false,
        test: (Clocked, TextClient) -> Unit,
    ) = withClocked(config, standsStill) { running ->
        TextClient(running.address).use { client -> test(running, client) }
    }

    private fun assertFails(reason: String, reply: String?) =
        assertTrue(Regex("SERVER_ERROR $name $reason").matches("$reply"), "$reply")

    @Test
    fun `a database that is killed is named, and used again with all that it has acknowledged`() =
        withClient(queuesIn(url, workers = 2)) { client ->
            for (number in 1..20) assertEquals("STORED", client.set("q", "$number"))
            assertEquals("1", client.take("q"))
            postgres.kill()
            repeat(4) { assertFails("(failed|is not connected): .+", client.set("lost", "m")) }
            eventually("it is seen to be down") { "refused" in client.get("q").single() }
            postgres.start()
            eventually("it is used again") { client.set("back", "m") == "STORED" }
            eventually("by both workers") { List(4) { client.set("back", "m") }.all { it == "STORED" } }
            for (number in 2..20) assertEquals("$number", client.take("q"))
            assertNull(client.take("q"))
            assertNull(client.take("lost"))
        }

    @Test
    fun `a session that is ended while nothing is asked is replaced before anything is`() =
        withClient(queuesIn(url, workers = 2)) { client ->
            client.set("q", "m")
            val before = postgres.query(SESSIONS).toSet()
            assertEquals(2, before.size)
            postgres.query(SESSIONS.replace("pid", "pg_terminate_backend(pid)"))
            eventually("there are new ones") {
                postgres.query(SESSIONS).toSet().let { it.size == 2 && (it intersect before).isEmpty() }
            }
            eventually("both are in use") { client.own("connections_up") == 2 }
            repeat(4) { assertEquals("STORED", client.set("q", "m")) }
        }

    @Test
    fun `a message that somebody else holds locked is waited for no longer than the timeout, and is not lost`() =
        withClockedClient(
            queuesIn(url, workers = 1, locks = Locks.ROW_LOCKS, timeout = TIMEOUT),
            standsStill = true,
        ) { _, client ->
            client.set("q", "held")
            postgres.connect("queues").use { other ->
                other.autoCommit = false
                other.createStatement().execute("SELECT * FROM message_queue.message FOR UPDATE")
                assertFails(GAVE_UP, client.get("q").single())
                assertEquals("held", client.take("q/peek"))
            }
            assertEquals("held", client.take("q"))
            assertNull(client.take("q"))
        }

    @Test
    fun `with skip-locked nobody waits for it`() =
        withClient(queuesIn(url, workers = 1, timeout = 60.seconds)) { client ->
            client.set("q", "held")
            client.set("q", "free")
            postgres.connect("queues").use { other ->
                other.autoCommit = false
                other.createStatement().execute("SELECT * FROM message_queue.message ORDER BY id LIMIT 1 FOR UPDATE")
                assertEquals("free", client.take("q"))
                assertNull(client.take("q"))
            }
            eventually("it is free") { client.take("q") == "held" }
        }

    @Test
    fun `a database that stands still is told in time, also to those who come after, and is used when it goes on`() =
        withClockedClient(queuesIn(url, workers = 1)) { running, client ->
            client.set("q", "m")
            try {
                postgres.signal("STOP")
                client.send("set q 0 0 7\r\nunknown\r\n")
                running.skipUntil(2.minutes, "an answer") { client.hasInput }
                assertFails("failed: no answer within 1m", client.readLine())
                repeat(3) { assertFails("is not connected: .+", client.get("q").single()) }
            } finally {
                postgres.signal("CONT")
            }
            eventually("it is used again") { client.set("back", "m") == "STORED" }
            assertEquals("m", client.take("q"))
        }

    @Test
    fun `more workers than connections are told so`() {
        withClient(queuesIn(url, workers = 16)) { client ->
            val replies = List(64) { client.set("q", "m")!! }
            val reason = "is not connected: (sorry, too many clients already|remaining connection slots .+)"
            val (stored, failed) = replies.partition { it == "STORED" }
            assertTrue(stored.isNotEmpty() && failed.isNotEmpty(), "$replies")
            for (reply in failed) assertTrue(Regex("SERVER_ERROR $name $reason").matches(reply), reply)
        }
    }

    @Test
    fun `a database that has no room is told, and what it had stays`() =
        withClient(queuesIn(url, workers = 1)) { client ->
            client.set("q", "m")
            postgres.sql("ALTER TABLE message_queue.message ADD CHECK (length(body) < 100)", "queues")
            val refused = client.set("q", "x".repeat(100))
            assertFails("refused: new row for relation \"message\" violates check constraint .+", refused)
            assertEquals("m", client.take("q"))
            assertNull(client.take("q"))
        }

    @Test
    fun `one of two databases that fails does not keep what was taken from the other`() {
        RealPostgres().use { other ->
            withClient(queuesIn(url, other.url("others"), workers = 1)) { client ->
                val names = Array(8) { "queue-$it" }
                for (queue in names) client.set(queue, "m")
                val here = postgres.query("SELECT queue FROM message_queue.message ORDER BY queue", "queues")
                assertTrue(here.size in 1..7, "$here")
                other.kill()
                assertEquals(here.flatMap { listOf("VALUE $it 0 1", "m") }, client.get(*names))
                val reply = client.get(*names).single()
                assertTrue(reply.startsWith("SERVER_ERROR 127.0.0.1:${other.port}/others is not connected: "), reply)
            }
        }
    }

    @Test
    fun `what a client no longer waits for is not asked again`() =
        withClockedClient(queuesIn(url, workers = 1, timeout = TIMEOUT), standsStill = true) { running, client ->
            client.set("q", "m")
            postgres.connect("queues").use { other ->
                other.autoCommit = false
                other.createStatement().execute("LOCK TABLE message_queue.message")
                assertFails(GAVE_UP, client.set("q", "given up"))
                other.rollback()
            }
            // Time to ask again what must not be asked again: the only session would be asked that before what follows.
            repeat(10) { running.skip(TIMEOUT) }
            assertEquals("m", client.take("q"))
            assertNull(client.take("q"))
            assertNotNull(client.set("q", "m"))
        }

    private companion object {
        /** Is waited for where something is in its way; whatever is not takes at most a hundredth of it. */
        val TIMEOUT = 10.seconds
        const val GAVE_UP = "refused: canceling statement due to statement timeout"
        const val SESSIONS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'middleware'"
    }
}
