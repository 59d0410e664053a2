package mwlab.middleware

import mwlab.net.text
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds

class InvocationTest {
    private fun parse(line: String) = Invocation.parse(line.split(' ').filter(String::isNotEmpty).toTypedArray())

    private fun config(line: String) = assertIs<Invocation.Run>(parse(line)).config

    private fun complaint(line: String) = assertIs<Invocation.Invalid>(parse(line)).message

    @Test
    fun `the course's command line is understood`() {
        val config = config("-l 127.0.0.2 -p 1234 -t 8 -s true -m 127.0.0.1:11211 127.0.0.1:11212")
        assertEquals("127.0.0.2:1234", config.listen.text)
        assertEquals(8, config.workers)
        assertTrue(config.sharded)
        assertEquals(listOf("127.0.0.1:11211", "127.0.0.1:11212"), config.servers.map { it.text })
    }

    @Test
    fun `long forms, equals signs and any order are understood`() {
        val config =
            config("--servers [::1]:11211 --workers=3 --server-timeout 250ms --port=0 --max-clients 10 --depth 2")
        assertEquals(listOf("[0:0:0:0:0:0:0:1]:11211"), config.servers.map { it.text })
        assertEquals(3, config.workers)
        assertEquals(250.milliseconds, config.serverTimeout)
        assertEquals(20, config.queueCapacity)
        assertEquals(false, config.adminCommands)
        assertTrue(config("-p 0 -m 127.0.0.1:1 --admin-commands on").adminCommands)
    }

    @Test
    fun `a back end of its own needs no servers, and no password is told`() {
        val config =
            config("$QUEUES postgresql://u@h:5433/e --prepare-database --locks row-locks --synchronous-commit off")
        assertTrue(config.prepareDatabase)
        val told = config.describe()
        assertEquals(listOf("h:5432/d", "h:5433/e"), told["database"])
        assertEquals(
            listOf<Any?>("postgresql", "row-locks", false),
            listOf(told["backend"], told["locks"], told["synchronous_commit"]),
        )
        assertTrue("secret" !in "$told")
        assertEquals("echo", config("-p 1 --backend echo").describe()["backend"])
    }

    @Test
    fun `help and version win`() {
        assertEquals(Invocation.Help, parse("--help"))
        assertEquals(Invocation.Help, parse("-h -p x"))
        assertEquals(Invocation.Version, parse("--version"))
    }

    @Test
    fun `what is wrong is said`() {
        val complaints = mapOf(
            "" to "a port is needed (-p <port>)",
            "-p 1" to "at least one server is needed (-m <ip:port> ...)",
            "-p 1 -m" to "at least one server is needed (-m <ip:port> ...)",
            "-p x -m 127.0.0.1:1" to "option --port takes a number, got \"x\"",
            "-p 1 -m 127.0.0.1" to "option --servers takes <ip:port> or unix:<path>, got \"127.0.0.1\"",
            "-p 70000 -m 127.0.0.1:1" to "a port is 0 to 65535, got 70000",
            "-p 1 -m 127.0.0.1:1 127.0.0.1:1" to "a server is named twice: 127.0.0.1:1 127.0.0.1:1",
            "-p 1 -p 2 -m 127.0.0.1:1" to "option --port is given twice",
            "-p 1 2 -m 127.0.0.1:1" to "option --port takes one value, got 2",
            "1 -p 1" to "\"1\" belongs to no option",
            "-p 1 -m 127.0.0.1:1 -t 0" to "workers must be 1 to 10000, got 0",
            "-p 1 -m 127.0.0.1:1 -s maybe" to "option --sharded takes false or true, got \"maybe\"",
            "-p 1 -m 127.0.0.1:1 --routing best" to
                "option --routing takes round-robin or hash or consistent-hash, got \"best\"",
            "-p 1 -m 127.0.0.1:1 --server-timeout soon" to
                "option --server-timeout takes a time such as 500ms, got \"soon\"",
            "-p 1 -m 127.0.0.1:1 --replicas all" to "replicas need --routing consistent-hash",
            "-p 1 -m 127.0.0.1:1 --replicas 2 --routing consistent-hash" to
                "replicas must be 1 to the number of servers (1), got 2",
            "-p 1 -m 127.0.0.1:1 --slow-log 10ms --instrumentation off" to "slow log needs instrumentation",
            "-p 1 -m 127.0.0.1:1 --slow-log 0ms" to "slow log must be positive, got 0s",
            "-l unix:/tmp/s -p 1 -m 127.0.0.1:1" to "unix:/tmp/s has no port: leave -p out",
            "-l unix:/tmp/s -m 127.0.0.1:1 --transport ktor" to "unix:/tmp/s needs --transport loop",
            "-p 1 -m unix:/tmp/s --transport ktor" to "unix:/tmp/s needs --transport loop",
            "-l unix:/tmp/s -m 127.0.0.1:1 --stats-dir /tmp/d --follow 1/1" to
                "follow needs clients that come by TCP: it tells them by their ports",
            "-p 1 -m 127.0.0.1:1 --wat" to "unknown option --wat",
            "-p 1 --backend postgresql" to
                "at least one database is needed (--database postgresql://user[:password]@host[:port]/name ...)",
            "-p 1 --backend postgresql --database postgresql:/u:secret@h/d" to
                "option --database takes postgresql://user[:password]@host[:port]/name",
            "$QUEUES postgresql://v:secret@h:5432/d" to "a database is named twice: h:5432/d h:5432/d",
            "$QUEUES -m 127.0.0.1:1" to "servers (-m) are for --backend memcached",
            "$QUEUES --dispatch pipelined" to
                "dispatch pipelined is for memcached: a worker has a connection to each database, with one request at a time",
            "$QUEUES --routing hash" to "routing hash is for --backend memcached",
            "$QUEUES -s true" to "sharded is for --backend memcached",
            "$QUEUES --failover" to "failover is for --backend memcached",
            "$QUEUES --admin-commands on" to "admin commands are for --backend memcached",
            "$QUEUES --locks none" to "option --locks takes skip-locked or row-locks, got \"none\"",
            "-p 1 --backend echo -m 127.0.0.1:1" to "servers (-m) are for --backend memcached",
            "-p 1 -m 127.0.0.1:1 --database postgresql://u@h/d" to "databases are for --backend postgresql",
            "-p 1 -m 127.0.0.1:1 --prepare-database" to "prepare-database is for --backend postgresql",
            "-p 1 -m 127.0.0.1:1 --locks row-locks" to "locks row-locks are for --backend postgresql",
            "-p 1 -m 127.0.0.1:1 --synchronous-commit off" to "synchronous-commit is for --backend postgresql",
        )
        for ((line, complaint) in complaints) assertEquals(complaint, complaint(line), line)
    }

    @Test
    fun `statistics that the heap cannot hold are refused`() {
        val complaint = complaint("-p 1 -m 127.0.0.1:1 -t 10000 --net-threads 10000 --histogram-bin 10us")
        assertTrue("lower --net-threads, or set JAVA_OPTS=-Xmx" in complaint, complaint)
        config("-p 1 -m 127.0.0.1:1 -t 10000 --net-threads 10000 --histogram-bin 10us --instrumentation off")
    }

    private companion object {
        const val QUEUES = "-p 1 --backend postgresql --database postgresql://u:secret@h/d"
    }
}
