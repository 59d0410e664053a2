package mwlab.middleware

import mwlab.middleware.routing.Routing
import mwlab.testing.ANY_PORT
import mwlab.testing.RealMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.withMiddleware
import java.util.concurrent.CyclicBarrier
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Reads that change what they read, with three real servers that each have a copy. */
@UsesPrograms
class ChangingReadsTest {
    private fun withThree(test: (List<RealMemcached>, List<MiddlewareConfig>) -> Unit) {
        val servers = List(3) { RealMemcached() }
        try {
            val addresses = servers.map { it.address }
            val configs = Dispatch.entries.flatMap { dispatch ->
                listOf(
                    MiddlewareConfig(ANY_PORT, addresses, workers = 8, dispatch = dispatch),
                    MiddlewareConfig(
                        ANY_PORT,
                        addresses,
                        workers = 8,
                        dispatch = dispatch,
                        routing = Routing.CONSISTENT_HASH,
                        replicas = 3,
                    ),
                )
            }
            test(servers, configs)
        } finally {
            servers.forEach { it.close() }
        }
    }

    /** The seconds that an item has left, by each server. */
    private fun timesToLive(servers: List<RealMemcached>, key: String): List<String?> = servers.map { server ->
        TextClient(server.address).use { it.ask("mg $key t") }
    }

    @Test
    fun `a new expiry reaches every copy`() = withThree { servers, configs ->
        for (config in configs) {
            withMiddleware(config) { address ->
                TextClient(address).use { client ->
                    for (read in listOf("gat 1000 k", "mg k T1000 v")) {
                        assertEquals("STORED", client.ask("set k 0 100000 1\r\nx"))
                        client.send("$read\r\n")
                        client.readUntil(if (read.startsWith("gat")) "END" else "x")
                        val times = timesToLive(servers, "k").map { it!!.removePrefix("HD t").toInt() }
                        assertTrue(times.all { it in 500..1000 }, "$read: $times")
                    }
                }
            }
        }
    }

    @Test
    fun `of many clients that ask for the same missing item one is told to make it`() = withThree { _, configs ->
        for ((round, config) in configs.withIndex()) {
            withMiddleware(config) { address ->
                val start = CyclicBarrier(8)
                val answers = java.util.concurrent.ConcurrentLinkedQueue<String>()
                val clients = List(8) {
                    thread {
                        TextClient(address).use { client ->
                            for (key in 0 until 50) {
                                start.await()
                                client.send("mg lock-$round-$key t v N30\r\n")
                                answers += "$key ${client.readLine()}"
                                client.readLine()
                            }
                        }
                    }
                }
                clients.forEach { it.join() }
                val winners = answers.filter { it.endsWith(" W") }.groupingBy { it.substringBefore(' ') }.eachCount()
                assertEquals(400, answers.size)
                assertEquals(List(50) { 1 }, winners.values.toList())
            }
        }
    }

    @Test
    fun `an item is not made stale where several servers would tell a client to renew it`() = withThree { _, configs ->
        withMiddleware(configs.first()) { address ->
            TextClient(address).use { client ->
                client.set("k", "1")
                assertTrue(client.ask("md k I T30")!!.startsWith("SERVER_ERROR cas uniques and stale marks differ"))
                assertEquals(listOf("VALUE k 0 1", "1"), client.get("k"))
            }
        }
    }
}
