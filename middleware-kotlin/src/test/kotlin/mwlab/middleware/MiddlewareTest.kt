package mwlab.middleware

import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.Running
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.middleware
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import java.net.InetSocketAddress
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.days

@UsesSockets
class MiddlewareTest {
    private fun config(servers: List<FakeMemcached>, workers: Int = 2, sharded: Boolean = false, netThreads: Int = 1) =
        MiddlewareConfig(
            ANY_PORT,
            servers.map {
                it.address
            },
            workers = workers,
            sharded = sharded,
            netThreads = netThreads,
        )

    private fun withClient(config: MiddlewareConfig, test: (TextClient) -> Unit) =
        withMiddleware(config) { address -> TextClient(address).use(test) }

    @Test
    fun `a set goes to all servers and a get to one`() = withServers(3) { servers ->
        withClient(config(servers, workers = 1)) { client ->
            assertEquals("STORED", client.set("k", "value"))
            for (server in servers) assertEquals("value", server.values["k"])
            assertEquals(listOf("VALUE k 0 5", "value"), client.get("k"))
            assertEquals(1, servers.sumOf { server -> server.lines.count { it.startsWith("get") } })
        }
    }

    @Test
    fun `gets take the servers in turn, and each worker starts at another`() = withServers(3) { servers ->
        withClient(config(servers, workers = 3)) { client ->
            repeat(9) { client.get("k") }
            for (server in servers) assertEquals(3, server.lines.size)
        }
    }

    @Test
    fun `a set is stored only if all servers store it`() = withServers(3) { servers ->
        withClient(config(servers)) { client ->
            servers[1].answer = { _, _ -> "NOT_STORED\r\n" }
            assertEquals("NOT_STORED", client.set("k", "1"))
            servers[2].answer = { _, _ -> "SERVER_ERROR out of memory storing object\r\n" }
            assertEquals("SERVER_ERROR out of memory storing object", client.set("k", "1"))
        }
    }

    @Test
    fun `a multi-get that is not sharded goes to one server whole`() = withServers(2) { servers ->
        withClient(config(servers, workers = 1)) { client ->
            client.get("a", "b", "c")
            assertEquals(listOf("get a b c"), servers.flatMap { it.lines })
        }
    }

    @Test
    fun `a sharded multi-get is cut into even contiguous parts and comes back in order`() = withServers(3) { servers ->
        withClient(config(servers, workers = 1, sharded = true)) { client ->
            for (key in listOf("a", "b", "c", "e", "f", "g")) client.set(key, "value-$key")
            servers.forEach { it.lines.clear() }
            val lines = client.get("a", "b", "c", "d", "e", "f", "g")
            assertEquals(listOf("a", "b", "c", "e", "f", "g").flatMap { listOf("VALUE $it 0 7", "value-$it") }, lines)
            assertEquals(listOf("get a b", "get c d", "get e f g"), servers.map { it.lines.single() })
            client.get("a", "b")
            assertEquals(listOf(2, 2, 1), servers.map { it.lines.size })
        }
    }

    @Test
    fun `a long key that is missing leaves the short one behind it found`() = withServers(2) { servers ->
        withClient(config(servers, sharded = true)) { client ->
            client.set("b", "")
            val long = "k".repeat(250)
            assertEquals(List(2) { listOf("VALUE b 0 0", "") }.flatten(), client.get(long, "b", long, "b"))
        }
    }

    @Test
    fun `a sharded multi-get fails as a whole if a part fails`() = withServers(2) { servers ->
        withClient(config(servers, sharded = true)) { client ->
            servers[1].answer = { _, _ -> "SERVER_ERROR out of memory writing get response\r\n" }
            assertEquals("SERVER_ERROR out of memory writing get response", client.ask("get a b"))
        }
    }

    @Test
    fun `noreply is answered by silence, in order`() = withServers(1) { servers ->
        withClient(config(servers, workers = 1)) { client ->
            client.send("set k 0 0 1 noreply\r\n1\r\ndelete nothing noreply\r\nget k\r\n")
            assertEquals(listOf("VALUE k 0 1", "1", "END"), client.readUntil("END"))
            assertEquals(listOf("set k 0 0 1", "delete nothing", "get k"), servers[0].lines.toList())
        }
    }

    @Test
    fun `what is refused by the middleware is refused silently, too, if it is noreply`() = withServers(2) { servers ->
        withClient(config(servers, workers = 1)) { client ->
            client.send("cas k 0 0 1 1 noreply\r\n1\r\n")
            assertEquals("VERSION fake", client.ask("version"))
        }
    }

    @Test
    fun `pipelined requests are answered in order`() = withServers(2) { servers ->
        withClient(config(servers, workers = 4)) { client ->
            client.send((1..100).joinToString("") { "set k$it 0 0 3\r\n%03d\r\nget k$it\r\n".format(it) })
            for (index in 1..100) {
                assertEquals("STORED", client.readLine())
                assertEquals(listOf("VALUE k$index 0 3", "%03d".format(index), "END"), client.readUntil("END"))
            }
        }
    }

    @Test
    fun `an error leaves the connection usable`() = withServers(1) { servers ->
        withClient(config(servers)) { client ->
            assertEquals("ERROR", client.ask("hello"))
            assertEquals("CLIENT_ERROR bad command line format", client.ask("get ${"k".repeat(251)}"))
            assertEquals("STORED", client.set("k", "1"))
            client.send("quit\r\n")
            assertNull(client.readLine())
            assertEquals(1, servers[0].lines.size)
        }
    }

    @Test
    fun `values of one mebibyte pass`() = withServers(2) { servers ->
        withClient(config(servers)) { client ->
            val value = String(CharArray(1 shl 20) { 'a' + it % 26 })
            assertEquals("STORED", client.set("k", value))
            client.send("get k k\r\n")
            assertEquals(
                "VALUE k 0 1048576\r\n$value\r\nVALUE k 0 1048576\r\n$value\r\nEND\r\n",
                client.read(2 * ((1 shl 20) + 21) + 5),
            )
            assertEquals("SERVER_ERROR object too large for cache", client.set("k", value + "x"))
            assertEquals("END", client.ask("get nothing"))
        }
    }

    @Test
    fun `a client that ends its side still gets its replies`() = withServers(1) { servers ->
        withClient(config(servers)) { client ->
            client.send("set k 0 0 1\r\n1\r\nget k\r\n")
            client.shutdownOutput()
            assertEquals(listOf("STORED", "VALUE k 0 1", "1", "END"), client.readUntil("END"))
            assertNull(client.readLine())
        }
    }

    @Test
    fun `all requests that have arrived are answered before the end`() = withServers(1) { (server) ->
        server.answer = { _, reply -> reply.also { Thread.sleep(2) } }
        val addresses = listOf(server.address)
        val running = Running(middleware(MiddlewareConfig(ANY_PORT, addresses, workers = 2, drainTimeout = 1000.days)))
        TextClient(running.address).use { client ->
            client.send("get k\r\n".repeat(40))
            assertEquals("END", client.readLine())
            val end = thread { running.stop() }
            repeat(39) { assertEquals("END", client.readLine()) }
            assertNull(client.readLine())
            end.join()
        }
    }

    @Test
    fun `a client that does not read holds up nobody`() = withServers(1) { servers ->
        withMiddleware(config(servers, workers = 1)) { address ->
            TextClient(address).use { greedy ->
                greedy.set("k", "x".repeat(1 shl 20))
                repeat(24) { greedy.send("get k k k k\r\n") }
                TextClient(address).use { other -> repeat(20) { assertEquals("STORED", other.set("other", "1")) } }
                repeat(96 + 24) { greedy.readLine() }
            }
        }
    }

    @Test
    fun `large values of many clients share a blocked server connection`() = withServers(1) { (server) ->
        server.answer = { _, reply -> reply.also { Thread.sleep(5) } }
        withMiddleware(MiddlewareConfig(ANY_PORT, listOf(server.address), dispatch = Dispatch.PIPELINED)) { address ->
            val clients = List(10) { TextClient(address) }
            val values = List(10) { id -> "$id".repeat(1 shl 20) }
            clients.forEachIndexed { id, client -> client.send("set k$id 0 0 ${1 shl 20}\r\n${values[id]}\r\n") }
            for (client in clients) assertEquals("STORED", client.readLine())
            clients.forEachIndexed { id, client -> assertEquals(values[id], client.get("k$id")[1]) }
            clients.forEach { it.close() }
        }
    }

    @Test
    fun `one client too many is told so`() = withServers(1) { servers ->
        withMiddleware(MiddlewareConfig(ANY_PORT, servers.map { it.address }, maxClients = 1)) { address ->
            TextClient(address).use { first ->
                first.set("k", "1")
                TextClient(address).use { second ->
                    assertEquals("ERROR Too many open connections", second.readLine())
                    assertNull(second.readLine())
                }
                assertEquals("STORED", first.set("k", "2"))
            }
        }
    }

    @Test
    fun `many clients on several net threads each get their own values`() {
        for (dispatch in Dispatch.entries) exchange(dispatch)
    }

    private fun exchange(dispatch: Dispatch) = withServers(3) { servers ->
        val addresses = servers.map { it.address }
        withMiddleware(
            MiddlewareConfig(ANY_PORT, addresses, workers = 8, sharded = true, netThreads = 2, dispatch = dispatch),
        ) { address ->
            val clients = Executors.newFixedThreadPool(16)
            val results = (1..16).map { id -> clients.submit<Unit> { readAndWrite(address, id) } }
            results.forEach { it.get(5, TimeUnit.MINUTES) }
            clients.shutdown()
        }
    }

    private fun readAndWrite(address: InetSocketAddress, id: Int) = TextClient(address).use { client ->
        repeat(50) { round ->
            assertEquals("STORED", client.set("a$id", "a$id-$round"))
            assertEquals("STORED", client.set("b$id", "b$id-$round" + "x".repeat(5000)))
            val lines = client.get("a$id", "none", "b$id")
            assertEquals(
                listOf("a$id-$round", "b$id-$round" + "x".repeat(5000)),
                lines.filterNot {
                    it.startsWith("VALUE")
                },
            )
        }
        assertTrue(client.ask("version")!!.startsWith("VERSION"))
    }
}
