package mwlab.middleware

import mwlab.middleware.routing.Routing
import mwlab.net.text
import mwlab.testing.ANY_PORT
import mwlab.testing.Clocked
import mwlab.testing.FakeMemcached
import mwlab.testing.RealMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.UsesSockets
import mwlab.testing.eventually
import mwlab.testing.withClocked
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import java.net.InetSocketAddress
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.seconds

/** Reads that a server fails are answered by another, where there is one. */
@UsesSockets
abstract class FailoverTest(private val dispatch: Dispatch) {
    private fun config(
        servers: List<InetSocketAddress>,
        routing: Routing = Routing.ROUND_ROBIN,
        replicas: Int? = null,
        failover: Boolean = true,
        sharded: Boolean = false,
        workers: Int = 1,
    ) = MiddlewareConfig(
        ANY_PORT,
        servers,
        workers = workers,
        dispatch = dispatch,
        routing = routing,
        replicas = replicas,
        clientTimeout = 1000.days,
        serverTimeout = TIMEOUT,
        failover = failover,
        sharded = sharded,
    )

    private val silent: (String, String) -> String = { line, reply -> if (line.startsWith("get")) "" else reply }

    /**
     * The answer to `get` [key], and how much time had to pass for it: each time one of the silent [servers] has been asked, the share
     * of the timeout that one of three attempts may take.
     */
    private fun Clocked.get(
        client: TextClient,
        key: String,
        servers: List<FakeMemcached>,
    ): Pair<List<String>, Duration> {
        fun asked() = servers.sumOf { server -> server.lines.count { it.startsWith("get") } }
        var passed = Duration.ZERO
        var given = asked()
        client.send("get $key\r\n")
        eventually("an answer") {
            if (asked() > given) {
                given++
                passed += SHARE
                skip(SHARE)
            }
            client.hasInput
        }
        return client.readUntil("END") to passed
    }

    private fun failovers(client: TextClient): Int {
        client.send("stats\r\n")
        return client.readUntil("END").filter { ":failovers" in it }.sumOf { it.substringAfterLast(' ').toInt() }
    }

    @Test
    fun `a read goes on to a server that answers, within the timeout`() = withServers(3) { servers ->
        for (routing in Routing.entries) {
            val replicas = if (routing == Routing.CONSISTENT_HASH) 3 else null
            servers.forEach { it.answer = { _, reply -> reply } }
            withClocked(config(servers.map { it.address }, routing, replicas)) { running ->
                TextClient(running.address).use { client ->
                    assertEquals("STORED", client.set("k", "value"))
                    servers.drop(1).forEach { it.answer = silent }
                    repeat(4) {
                        val (lines, time) = running.get(client, "k", servers.drop(1))
                        assertEquals(listOf("VALUE k 0 5", "value", "END"), lines)
                        assertTrue(time < TIMEOUT, "$routing: $time")
                    }
                    servers[0].answer = silent
                    client.send("get k\r\n")
                    running.skipUntil(SHARE, "an answer") { client.hasInput }
                    assertTrue(client.readLine()!!.startsWith("SERVER_ERROR "))
                }
            }
        }
    }

    @Test
    fun `without it the first server decides, and nothing is counted`() = withServers(2) { servers ->
        withMiddleware(config(servers.map { it.address }, failover = false)) { address ->
            TextClient(address).use { client ->
                servers.forEach { it.answer = { line, reply -> reply.takeUnless { line.startsWith("get") } } }
                assertEquals("SERVER_ERROR ${servers[0].address.text} closed the connection", client.ask("get k"))
                assertEquals(0, failovers(client))
            }
        }
    }

    @Test
    fun `keys with one owner have nowhere to go`() = withServers(2) { servers ->
        withMiddleware(config(servers.map { it.address }, Routing.CONSISTENT_HASH, replicas = 1)) { address ->
            TextClient(address).use { client ->
                servers.forEach { it.answer = { line, reply -> reply.takeUnless { line.startsWith("get") } } }
                assertTrue(client.ask("get k")!!.endsWith(" closed the connection"))
                assertEquals(0, failovers(client))
            }
        }
    }

    @Test
    fun `a late answer is dropped, and the connection goes on`() = withServers(2) { servers ->
        val isLate = CountDownLatch(1)
        withClocked(config(servers.map { it.address })) { running ->
            TextClient(running.address).use { client ->
                client.set("slow", "late")
                client.set("k", "right")
                servers[0].answer = { line, reply -> reply.also { if (line == "get slow") isLate.await() } }
                client.send("get slow\r\n")
                eventually("the first server is asked") { "get slow" in servers[0].lines }
                // The first of two attempts may take half of the time.
                running.skip(TIMEOUT / 2 + 1.seconds)
                assertEquals(listOf("VALUE slow 0 4", "late", "END"), client.readUntil("END"))
                repeat(20) { assertEquals(listOf("VALUE k 0 5", "right"), client.get("k")) }
                isLate.countDown()
                eventually("the first server is used again") {
                    val before = servers[0].lines.size
                    repeat(2) { assertEquals(listOf("VALUE k 0 5", "right"), client.get("k")) }
                    servers[0].lines.size > before
                }
                client.send("stats\r\n")
                val own = client.readUntil("END")
                assertTrue(own.any { it.startsWith("STAT mw_server:") && it.endsWith(":reconnects 0") }, "$own")
            }
        }
    }

    @Test
    fun `the parts of a multi-get go on by themselves`() = withServers(4) { servers ->
        val keys = List(24) { "key-$it" }
        for ((routing, replicas) in listOf(Routing.ROUND_ROBIN to null, Routing.CONSISTENT_HASH to 2)) {
            servers.forEach { it.answer = { _, reply -> reply } }
            withMiddleware(config(servers.map { it.address }, routing, replicas, sharded = true)) { address ->
                TextClient(address).use { client ->
                    keys.forEach { assertEquals("STORED", client.set(it, "value-$it")) }
                    val expected = keys.flatMap { listOf("VALUE $it 0 ${6 + it.length}", "value-$it") }
                    for (server in servers) {
                        server.answer = { line, reply -> reply.takeUnless { line.startsWith("get") } }
                        assertEquals(expected, client.get(*keys.toTypedArray()), "$routing without ${server.address}")
                        server.answer = { _, reply -> reply }
                    }
                    assertTrue(failovers(client) >= servers.size)
                }
            }
        }
    }

    /** Each client has keys of its own and writes numbers that only grow: any other value is somebody else's, or lost. */
    @Test
    @UsesPrograms
    fun `servers are killed under load and every reply is the right one`() {
        val servers = mutableListOf(RealMemcached(), RealMemcached(), RealMemcached())
        try {
            val config = config(
                servers.map { it.address },
                Routing.CONSISTENT_HASH,
                replicas = 2,
                workers = 8,
            )
            withMiddleware(config) { address -> killUnderLoad(address, servers) }
        } finally {
            servers.forEach { it.close() }
        }
    }

    private fun killUnderLoad(address: InetSocketAddress, servers: MutableList<RealMemcached>) {
        val keys = List(16) { client -> List(20) { "c$client-$it" } }
        TextClient(address).use { client -> keys.flatten().forEach { assertEquals("STORED", client.set(it, "v-$it")) } }
        val over = AtomicBoolean()
        val reads = AtomicInteger()
        val wrong = java.util.concurrent.ConcurrentLinkedQueue<String>()
        val clients = keys.map { own ->
            thread {
                TextClient(address).use { client ->
                    while (!over.get()) {
                        for (key in own) {
                            val reply = client.get(key)
                            reads.incrementAndGet()
                            if (reply != listOf("VALUE $key 0 ${key.length + 2}", "v-$key")) wrong += "$key: $reply"
                        }
                    }
                }
            }
        }
        eventually("there is a load") { reads.get() > 200 }
        servers[0].kill()
        val before = reads.get()
        eventually("reads go on") { reads.get() > before + 500 }
        over.set(true)
        clients.forEach { it.join() }
        assertEquals(emptyList(), wrong.toList().take(5))
        TextClient(address).use { assertTrue(failovers(it) > 0) }
    }

    private companion object {
        /** Passes only when a test moves the clock on. */
        val TIMEOUT = 150.seconds

        /** A little more than what each of three attempts may take. */
        val SHARE = TIMEOUT / 3 + 1.seconds
    }
}

class SequentialFailoverTest : FailoverTest(Dispatch.SEQUENTIAL)

class PipelinedFailoverTest : FailoverTest(Dispatch.PIPELINED)
