package mwlab.middleware.database

import mwlab.middleware.backend.BackEndUnusable
import mwlab.testing.Command
import mwlab.testing.RealPostgres
import mwlab.testing.Running
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.eventually
import mwlab.testing.middleware
import mwlab.testing.withMiddleware
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

/** How a database is prepared, and what is said of one that is not. */
@UsesPrograms
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaTest {
    private val postgres = RealPostgres()

    @AfterAll
    fun close() = postgres.close()

    private fun objection(url: DatabaseUrl, prepares: Boolean = false): String {
        val middleware = middleware(queuesIn(url, prepares = prepares))
        return assertFailsWith<BackEndUnusable> { Running(middleware) }.message
    }

    @Test
    fun `a database that is not prepared is named, with the remedy, and exit code 1`() {
        val url = postgres.url("bare")
        // A database that does not answer in time counts as one that is down, which keeps nobody from starting.
        val patient = arrayOf("--server-timeout", "10m")
        val words =
            arrayOf("-p", "0", "--backend", "postgresql", "--database", "postgresql://lab:hidden@${url.name}", *patient)
        Command(*words).use { command ->
            assertEquals(1, command.awaitExit())
            val complaint = "${url.name} has no message queues: start the middleware once with --prepare-database"
            assertEquals("middleware: $complaint\n", command.errors.readText())
        }
        Command(*words, "--prepare-database").use { command ->
            command.awaitPort()
            command.terminate()
            assertEquals(0, command.awaitExit())
            assertEquals("", command.errors.readText())
        }
        Command(*words).use { command -> command.awaitPort() }
    }

    @Test
    fun `preparing again changes nothing, and messages stay`() {
        val url = postgres.url("again")
        withMiddleware(queuesIn(url)) { address -> TextClient(address).use { it.set("q", "m") } }
        withMiddleware(queuesIn(url)) { address -> TextClient(address).use { assertEquals("m", it.take("q")) } }
    }

    @Test
    fun `many prepare one database at the same time`() {
        val url = postgres.url("many")
        val failures = List(6) { middleware(queuesIn(url, workers = 1)) }.map { middleware ->
            var failure: Throwable? = null
            val starting = thread {
                failure =
                    runCatching { Running(middleware).stop() }.exceptionOrNull()
            }
            starting to { failure }
        }.map { (starting, failure) -> starting.join().let { failure() } }
        assertEquals(List<Throwable?>(6) { null }, failures)
        assertEquals(listOf("1"), postgres.query("SELECT number FROM message_queue.version", "many"))
    }

    @Test
    fun `tables of another version are left alone`() {
        val url = postgres.url("later")
        withMiddleware(queuesIn(url)) { }
        postgres.sql("UPDATE message_queue.version SET number = 99", "later")
        for (prepares in listOf(false, true)) {
            assertEquals(
                "${url.name} has message queues of version 99, this middleware is for 1",
                objection(url, prepares),
            )
        }
    }

    @Test
    fun `who may not prepare a database is told so`() {
        postgres.sql("CREATE ROLE guest LOGIN")
        val url = postgres.url("foreign_one")
        val guest = DatabaseUrl.parse("postgresql://guest@${url.name}")!!
        assertEquals("${url.name} permission denied for database foreign_one", objection(guest, prepares = true))
    }

    @Test
    fun `another role serves with the rights that the documentation names`() {
        val url = postgres.url("granted")
        withMiddleware(queuesIn(url)) { }
        for (words in listOf(
            "CREATE ROLE app LOGIN",
            "GRANT USAGE ON SCHEMA message_queue TO app",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA message_queue TO app",
        )) {
            postgres.sql(words, "granted")
        }
        val app = DatabaseUrl.parse("postgresql://app@${url.name}")!!
        for (locks in Locks.entries) {
            withMiddleware(queuesIn(app, prepares = false, locks = locks)) { address ->
                TextClient(address).use { client ->
                    assertEquals("STORED", client.set("q", "m"))
                    assertEquals("q", client.take("*/waiting"))
                    assertEquals("m", client.take("q"))
                    assertEquals("DELETED", client.ask("delete q"))
                    assertEquals("STORED", client.ask("add q 0 0 0\r\n"))
                    client.ask("delete q")
                }
            }
        }
    }

    @Test
    fun `one that is down can be used later, but not be prepared`() {
        val url = DatabaseUrl.parse("postgresql://lab@127.0.0.1:1/queues")!!
        assertEquals("127.0.0.1:1/queues cannot be prepared: Connection refused", objection(url, prepares = true))
        withMiddleware(queuesIn(url, prepares = false)) { address ->
            TextClient(address).use { client ->
                val error = "SERVER_ERROR 127.0.0.1:1/queues is not connected: Connection refused"
                assertEquals(error, client.set("q", "m"))
            }
        }
    }

    @Test
    fun `every function reads by an index`() {
        val url = postgres.url("plans")
        withMiddleware(queuesIn(url)) { address ->
            TextClient(address).use { client ->
                for (number in 1..2000) client.set("q${number % 20}/from/s$number", "m")
            }
        }
        awaitEndOfSessions()
        postgres.sql("ANALYZE", "plans")
        val before = reads()
        withMiddleware(queuesIn(url)) { address ->
            TextClient(address).use { client ->
                for (key in listOf("q1", "q2/peek", "q3/from/s3", "q4/from/s4/peek", "*/waiting")) client.get(key)
            }
        }
        awaitEndOfSessions()
        assertTrue(reads() > before)
        assertEquals(listOf("0"), postgres.query(WHOLE_READS, "plans"))
    }

    /** A session has reported all of its reads when it has ended. */
    private fun awaitEndOfSessions() = eventually("the middleware's sessions end") {
        postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'middleware'").isEmpty()
    }

    /** How often an index was read. */
    private fun reads(): Long = postgres.query(
        "SELECT sum(idx_scan) FROM pg_stat_user_tables WHERE relname = 'message'",
        "plans",
    ).single().toLong()

    private companion object {
        const val WHOLE_READS = "SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname = 'message'"
    }
}
