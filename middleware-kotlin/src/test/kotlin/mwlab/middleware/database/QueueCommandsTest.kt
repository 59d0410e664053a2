package mwlab.middleware.database

import mwlab.testing.RealPostgres
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.withMiddleware
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** What clients can do with queues, on a PostgreSQL; whichever locks they use. */
@UsesPrograms
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueueCommandsTest {
    private val postgres = RealPostgres()
    private var databases = 0

    @AfterAll
    fun close() = postgres.close()

    private fun newDatabase() = postgres.url("database_${databases++}")

    /** Runs [test] with each kind of locks, on queues of its own. */
    private fun withQueues(test: (TextClient) -> Unit) {
        for (locks in Locks.entries) {
            withMiddleware(queuesIn(newDatabase(), locks = locks)) { address -> TextClient(address).use(test) }
        }
    }

    @Test
    fun `messages come out in the order in which they went in, with their flags, once`() = withQueues { client ->
        for (number in 1..5) assertEquals("STORED", client.ask("set q $number 0 2\r\nm$number"))
        for (number in 1..5) assertEquals(listOf("VALUE q $number 2", "m$number"), client.get("q"))
        assertEquals(emptyList(), client.get("q"))
    }

    @Test
    fun `a receiver gets what is addressed to it, from whom it likes`() = withQueues { client ->
        client.set("q/to/a/from/x", "1")
        client.set("q/to/b", "2")
        client.set("q/to/a", "3")
        client.set("q", "4")
        client.set("q/to/a/from/y", "5")
        client.set("q/from/x", "6")
        assertEquals("5", client.take("q/to/a/from/y"))
        assertNull(client.take("q/to/b/from/x"))
        assertEquals("1", client.take("q/to/a"))
        assertEquals("6", client.take("q/from/x"))
        assertEquals("2", client.take("q/to/b"))
        assertEquals("3", client.take("q/to/a"))
        assertEquals("4", client.take("q"))
        for (key in listOf("q", "q/to/a", "q/to/b", "q/from/x")) assertNull(client.take(key), key)
    }

    @Test
    fun `a look leaves the message where it is`() = withQueues { client ->
        client.set("q", "first")
        client.set("q/from/s", "second")
        repeat(2) { assertEquals("first", client.take("q/peek")) }
        assertEquals("second", client.take("q/from/s/peek"))
        assertEquals("first", client.take("q"))
        assertEquals("second", client.take("q/peek"))
        assertNull(client.take("q/to/r/peek"))
    }

    @Test
    fun `the queues with messages are listed, for nobody and for each receiver`() = withQueues { client ->
        assertNull(client.take("*/waiting"))
        client.ask("add empty 0 0 0\r\n")
        for (name in listOf("b", "a", "c", "a")) client.set(name, "m")
        client.set("d/to/r", "m")
        assertEquals("a\nb\nc", client.take("*/waiting"))
        assertEquals("d", client.take("*/waiting/to/r"))
        assertNull(client.take("*/waiting/to/x"))
        client.take("b")
        assertEquals("a\nc", client.take("*/waiting"))
    }

    @Test
    fun `a queue is made and dropped with its messages`() = withQueues { client ->
        assertEquals("STORED", client.ask("add q 0 0 0\r\n"))
        assertEquals("NOT_STORED", client.ask("add q 0 0 0\r\n"))
        client.set("q", "m")
        client.set("q/to/r", "m")
        client.set("other", "m")
        assertEquals("DELETED", client.ask("delete q"))
        assertEquals("NOT_FOUND", client.ask("delete q"))
        assertNull(client.take("q"))
        assertNull(client.take("q/to/r"))
        assertEquals("other", client.take("*/waiting"))
        assertEquals("STORED", client.set("new", "m"))
        assertEquals("NOT_STORED", client.ask("add new 0 0 0\r\n"))
    }

    @Test
    fun `a get of several keys takes one for each, in their order`() = withQueues { client ->
        client.set("a", "1")
        client.set("b", "2")
        client.set("a", "3")
        val lines = listOf("VALUE b 0 1", "2", "VALUE a 0 1", "1", "VALUE a 0 1", "3", "VALUE */waiting 0 1", "d")
        client.set("d", "4")
        assertEquals(lines, client.get("b", "a", "c", "a", "a", "*/waiting"))
    }

    @Test
    fun `what needs no reply gets none, and what is refused is`() = withQueues { client ->
        client.send("set q 7 0 1 noreply\r\nx\r\nset q 0 9 1 noreply\r\ny\r\ndelete p noreply\r\n")
        assertEquals("CLIENT_ERROR touch is no command of queues: set, get, add, delete", client.ask("touch q 0"))
        assertEquals("CLIENT_ERROR messages do not expire: say 0", client.ask("set q 0 60 1\r\ny"))
        assertEquals(listOf("VALUE q 7 1", "x"), client.get("q"))
        assertNull(client.take("q"))
        assertEquals("MN", client.ask("mn"))
        assertEquals("VERSION development", client.ask("version"))
    }

    @Test
    fun `any bytes and the largest message come back as they were, names in any language`() = withQueues { client ->
        val all = (0..255).map { it.toChar() }.joinToString("")
        val name = String("gr\u00fc\u00dfe-\u4f60\u597d".toByteArray(), Charsets.ISO_8859_1)
        for (value in listOf("", "\r\n", all, all.repeat(4096))) {
            assertEquals("STORED", client.set(name, value))
            assertEquals(name, client.take("*/waiting"))
            client.send("get $name\r\n")
            assertEquals("VALUE $name 0 ${value.length}", client.readLine())
            assertEquals("$value\r\nEND\r\n", client.read(value.length + 7))
        }
        assertEquals("SERVER_ERROR object too large for cache", client.set("q", "x".repeat((1 shl 20) + 1)))
        assertNull(client.take("q"))
    }

    @Test
    fun `statistics tell of the database under its name, and of no password`() {
        val database = newDatabase()
        withMiddleware(queuesIn(database, workers = 2)) { address ->
            TextClient(address).use { client ->
                client.set("q", "m")
                client.send("stats\r\n")
                val told = client.readUntil("END")
                val name = "mw_server:${database.name}"
                for (line in listOf(
                    "mw_backend postgresql",
                    "$name:state up",
                    "$name:connections_up 2",
                    "$name:requests 1",
                )) {
                    assertTrue("STAT $line" in told, "$line is not in $told")
                }
            }
        }
    }

    @Test
    fun `queues are spread over two databases, which answer as one`() {
        val databases = arrayOf(newDatabase(), newDatabase())
        withMiddleware(queuesIn(*databases)) { address ->
            TextClient(address).use { client ->
                val names = Array(20) { "queue-%02d".format(it) }
                for (name in names) client.set(name, "of $name")
                for (database in databases) {
                    val there = postgres.query(
                        "SELECT count(*) FROM message_queue.message",
                        database.database,
                    ).single().toInt()
                    assertTrue(there in 1..19, "$there messages in $database")
                }
                assertEquals(names.joinToString("\n"), client.take("*/waiting"))
                val values = names.flatMap { listOf("VALUE $it 0 11", "of $it") }
                assertEquals(values, client.get(*names))
                assertNull(client.take("*/waiting"))
                assertEquals(emptyList(), client.get(*names))
            }
        }
    }

    @Test
    fun `those who take at the same time get each message once, and all of them`() {
        for (locks in Locks.entries) {
            withMiddleware(queuesIn(newDatabase(), locks = locks, workers = 8)) { address ->
                val sent = 400
                TextClient(address).use { client -> for (number in 1..sent) client.set("q", "$number") }
                val taken = List(8) { ArrayList<Int>() }
                taken.map { own ->
                    thread {
                        TextClient(address).use { client ->
                            // A miss is no end: others may hold what is left at that moment, and fail.
                            var misses = 0
                            while (misses < 3) client.take("q")?.let { own += it.toInt() } ?: misses++
                        }
                    }
                }.forEach { it.join() }
                assertEquals((1..sent).toList(), taken.flatten().sorted(), locks.option)
                for (own in taken) assertEquals(own.sorted(), own, locks.option)
            }
        }
    }

    @Test
    fun `messages do not come to a queue that is dropped meanwhile`() {
        val database = newDatabase()
        withMiddleware(queuesIn(database, workers = 8)) { address ->
            val senders = List(4) {
                thread {
                    TextClient(address).use { client -> repeat(100) { assertEquals("STORED", client.set("q", "m")) } }
                }
            }
            TextClient(address).use { client -> repeat(50) { client.ask("delete q") } }
            senders.forEach { it.join() }
            val orphans = "SELECT count(*) FROM message_queue.message m WHERE NOT EXISTS " +
                "(SELECT FROM message_queue.queue q WHERE q.name = m.queue)"
            assertEquals("0", postgres.query(orphans, database.database).single())
        }
    }
}
