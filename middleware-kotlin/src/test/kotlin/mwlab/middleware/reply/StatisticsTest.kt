package mwlab.middleware.reply

import mwlab.middleware.Dispatch
import mwlab.middleware.Middleware
import mwlab.middleware.MiddlewareConfig
import mwlab.net.text
import mwlab.testing.ANY_PORT
import mwlab.testing.RealMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.eventually
import mwlab.testing.freePort
import mwlab.testing.withMiddleware
import java.net.InetSocketAddress
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** `stats` and `version` through the middleware, of real servers that live or do not. */
@UsesPrograms
class StatisticsTest {
    private fun config(servers: List<InetSocketAddress>, dispatch: Dispatch = Dispatch.SEQUENTIAL) =
        MiddlewareConfig(ANY_PORT, servers, workers = 2, netThreads = 2, dispatch = dispatch)

    private fun deadAddress() = InetSocketAddress("127.0.0.1", freePort())

    private fun TextClient.statistics(group: String = ""): Map<String, String> {
        send("stats $group".trim() + "\r\n")
        val lines = readUntil("END")
        assertEquals("END", lines.last(), "$lines")
        return lines.dropLast(1).associate { it.split(' ', limit = 3).let { (_, name, value) -> name to value } }
    }

    private fun withServers(count: Int, test: (List<RealMemcached>) -> Unit) {
        val servers = mutableListOf<RealMemcached>()
        try {
            repeat(count) { servers += RealMemcached() }
            test(servers)
        } finally {
            servers.forEach { it.close() }
        }
    }

    @Test
    fun `stats are the servers' sum and the middleware's own, up to the moment`() = withServers(2) { servers ->
        for (dispatch in Dispatch.entries) {
            withMiddleware(config(servers.map { it.address }, dispatch)) { address ->
                TextClient(address).use { client ->
                    client.ask("stats reset")
                    repeat(4) { client.set("k$it", "value") }
                    repeat(6) { client.get("k0") }
                    client.get("nothing")
                    val statistics = client.statistics()
                    assertEquals("8", statistics["cmd_set"])
                    assertEquals("7", statistics["cmd_get"])
                    assertEquals("6", statistics["get_hits"])
                    assertEquals("8", statistics["curr_items"])
                    assertEquals(2, statistics.getValue("pid").split(',').size)
                    assertEquals("4", statistics["mw_set:requests"])
                    assertEquals("7", statistics["mw_get:requests"])
                    assertEquals(listOf("6", "1"), listOf(statistics["mw_hits"], statistics["mw_misses"]))
                    assertEquals("1", statistics["mw_curr_connections"])
                    assertEquals(
                        servers.size,
                        statistics.filterKeys {
                            it.endsWith(":state")
                        }.values.count { it == "up" },
                    )
                    client.ask("flush_all")
                }
            }
        }
    }

    @Test
    fun `every group of stats ends, with nothing in it too`() = withServers(2) { servers ->
        withMiddleware(config(servers.map { it.address })) { address ->
            TextClient(address).use { client ->
                assertEquals(emptyMap(), client.statistics("items"))
                client.set("k", "value")
                assertEquals("2", client.statistics("items")["items:1:number"])
                assertEquals("2", client.statistics("slabs")["1:used_chunks"])
                assertEquals("67108864", client.statistics("settings")["maxbytes"])
                assertTrue(servers.all { server -> client.statistics("conns").keys.any { server.address.text in it } })
                client.statistics("sizes")
                // memcached dumps items that have grown cold, and moves them there in its own time.
                eventually("the item of both servers is dumped") {
                    client.send("stats cachedump 1 10\r\n")
                    client.readUntil("END") == List(2) { "ITEM k [5 b; 0 s]" } + "END"
                }
                assertEquals("OK", client.ask("stats detail on"))
                client.set("a:b", "c")
                assertTrue(client.ask("stats detail dump")!!.startsWith("PREFIX a get 0 hit 0 set 1 del 0"))
                client.readUntil("END")
                assertEquals("OK", client.ask("stats detail off"))
                assertEquals("RESET", client.ask("stats reset"))
                assertTrue(client.ask("version")!!.startsWith("VERSION 1."))
            }
        }
    }

    @Test
    fun `stats and version do without the servers that are down`() = withServers(1) { (server) ->
        withMiddleware(config(listOf(deadAddress(), server.address))) { address ->
            TextClient(address).use { client ->
                val statistics = client.statistics()
                assertEquals("0", statistics["curr_items"])
                assertEquals(listOf("down", "up"), statistics.filterKeys { it.endsWith(":state") }.values.toList())
                assertTrue(client.ask("version")!!.startsWith("VERSION 1."))
                server.close()
                val state = "mw_server:${server.address.text}:state"
                eventually("the loss is seen") { client.statistics()[state] == "down" }
                assertNull(client.statistics()["curr_items"])
                assertTrue(client.ask("stats items")!!.startsWith("SERVER_ERROR "))
                assertEquals("VERSION $VERSION", client.ask("version"))
            }
        }
    }
}
