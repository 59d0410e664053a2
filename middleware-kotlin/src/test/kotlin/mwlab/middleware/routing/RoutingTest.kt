package mwlab.middleware.routing

import mwlab.middleware.MiddlewareConfig
import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The routing modes on real sockets; which server is chosen is the business of [RouterTest]. */
@UsesSockets
class RoutingTest {
    private fun withClient(
        servers: List<FakeMemcached>,
        routing: Routing,
        replicas: Int? = null,
        test: (TextClient) -> Unit,
    ) {
        val config = MiddlewareConfig(ANY_PORT, servers.map { it.address }, routing = routing, replicas = replicas)
        withMiddleware(config) { address -> TextClient(address).use(test) }
    }

    private val keys = Array(30) { "key-$it" }

    @Test
    fun `values on a ring are kept once, and a multi-get gathers them in order`() = withServers(3) { servers ->
        withClient(servers, Routing.CONSISTENT_HASH) { client ->
            for (key in keys) assertEquals("STORED", client.set(key, "value of $key"))
            assertEquals(keys.size, servers.sumOf { it.values.size })
            assertTrue(servers.all { it.values.isNotEmpty() })
            val asked = keys.reversed() + "missing" + keys[3]
            val expected = (asked - "missing").map { "value of $it" }
            assertEquals(expected, client.get(*asked.toTypedArray()).filterNot { it.startsWith("VALUE") })
        }
    }

    @Test
    fun `replicas on a ring are kept as often as asked, and all must answer`() = withServers(3) { servers ->
        withClient(servers, Routing.CONSISTENT_HASH, replicas = 2) { client ->
            for (key in keys) assertEquals("STORED", client.set(key, "v"))
            assertEquals(2 * keys.size, servers.sumOf { it.values.size })
            for (key in keys) assertEquals(listOf("VALUE $key 0 1", "v"), client.get(key))
            assertEquals("DELETED", client.ask("delete key-1"))
            assertEquals(2 * keys.size - 2, servers.sumOf { it.values.size })
        }
    }

    @Test
    fun `a hash reads each key from one server`() = withServers(3) { servers ->
        withClient(servers, Routing.HASH) { client ->
            client.set("k", "v")
            repeat(9) { client.get("k") }
            assertEquals(listOf(0, 0, 9), servers.map { server -> server.lines.count { it == "get k" } }.sorted())
        }
    }

    @Test
    fun `cas uniques are refused where servers would disagree`() = withServers(2) { servers ->
        val refusal = "SERVER_ERROR cas uniques and stale marks differ between servers; " +
            "they need a single one, or --routing consistent-hash without replicas"
        withClient(servers, Routing.ROUND_ROBIN) { client ->
            for (line in listOf("gets k", "gats 1 k", "cas k 0 0 1 5\r\nx", "mg k c", "md k C5", "md k I T30")) {
                assertEquals(refusal, client.ask(line), line)
            }
            assertEquals("STORED", client.set("k", "1"))
            assertTrue(servers.all { server -> server.lines.single().startsWith("set") })
        }
        withClient(servers, Routing.CONSISTENT_HASH) { client -> assertEquals("ERROR", client.ask("gets k")) }
    }
}
