package mwlab.middleware

import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** Commands that steer memcached itself, on their way to all servers. */
@UsesSockets
class AdminTest {
    private fun withClient(
        servers: List<FakeMemcached>,
        dispatch: Dispatch = Dispatch.SEQUENTIAL,
        test: (TextClient) -> Unit,
    ) {
        val addresses = servers.map { it.address }
        val config = MiddlewareConfig(ANY_PORT, addresses, workers = 2, dispatch = dispatch, adminCommands = true)
        withMiddleware(config) { address -> TextClient(address).use(test) }
    }

    private fun List<FakeMemcached>.answer(vararg replies: String?) =
        forEachIndexed { index, server -> server.answer = { _, _ -> replies[index] } }

    @Test
    fun `they go to all servers and are answered by the worst of their answers`() = withServers(3) { servers ->
        for (dispatch in Dispatch.entries) {
            withClient(servers, dispatch) { client ->
                servers.answer("OK\r\n", "OK\r\n", "OK\r\n")
                assertEquals("OK", client.ask("cache_memlimit 64"))
                for (server in servers) assertEquals("cache_memlimit 64", server.lines.last())
                servers.answer("OK\r\n", "BADCLASS invalid class id\r\n", "OK\r\n")
                assertEquals("BADCLASS invalid class id", client.ask("lru_crawler crawl 70"))
                servers.answer("OK\r\n", "BUSY currently processing\r\n", "CLIENT_ERROR lru crawler disabled\r\n")
                assertEquals("CLIENT_ERROR lru crawler disabled", client.ask("lru_crawler crawl all"))
            }
        }
    }

    @Test
    fun `a server with nothing to crawl counts only if there is none that has`() = withServers(2) { servers ->
        withClient(servers) { client ->
            servers.answer("OK\r\n", "NOTSTARTED no items to crawl\r\n")
            assertEquals("OK", client.ask("lru_crawler crawl 5"))
            servers.answer("NOTSTARTED no items to crawl\r\n", "NOTSTARTED no items to crawl\r\n")
            assertEquals("NOTSTARTED no items to crawl", client.ask("lru_crawler crawl 5"))
        }
    }

    @Test
    fun `dumps of several servers are one, with one end`() = withServers(4) { servers ->
        withClient(servers) { client ->
            servers.answer("key=a exp=-1\nEND\r\n", "END\r\n", "NOTSTARTED no items\r\n", "key=b exp=-1\nEND\r\n")
            client.send("lru_crawler metadump all\r\n")
            assertEquals(listOf("key=a exp=-1", "key=b exp=-1", "END"), client.readUntil("END"))
            servers.answer("mg a\r\nEN\r\n", "EN\r\n", "EN\r\n", "mg b\r\nEN\r\n")
            client.send("lru_crawler mgdump all\r\nmn\r\n")
            assertEquals(listOf("mg a", "mg b", "EN", "MN"), client.readUntil("MN"))
        }
    }

    @Test
    fun `a dump of newer servers, which say OK before it, is one, too`() = withServers(2) { servers ->
        withClient(servers) { client ->
            servers.answer("OK\r\nkey=a exp=-1\nEND\r\n", "OK\r\nEND\r\n")
            client.send("lru_crawler metadump all\r\nmn\r\n")
            assertEquals(listOf("OK", "key=a exp=-1", "END", "MN"), client.readUntil("MN"))
        }
    }

    @Test
    fun `a dump that lacks a server's keys is no dump`() = withServers(2) { servers ->
        withClient(servers) { client ->
            servers.answer("key=a exp=-1\nEND\r\n", "BUSY currently processing crawler request\r\n")
            assertEquals("BUSY currently processing crawler request", client.ask("lru_crawler metadump all"))
            servers.answer("key=a exp=-1\nERROR locked try again later\r\n", "END\r\n")
            assertEquals("ERROR locked try again later", client.ask("lru_crawler metadump hash"))
        }
    }

    @Test
    fun `statistics that memcached does not end are told as it tells them, and the next answer is right`() =
        withServers(2) { servers ->
            for (dispatch in Dispatch.entries) {
                withClient(servers, dispatch) { client ->
                    for (server in servers) {
                        server.answer = { line, reply ->
                            when (line) {
                                "stats sizes_enable" -> "STAT sizes_status enabled\r\n"
                                "mn" -> "MN\r\n"
                                else -> reply
                            }
                        }
                    }
                    client.send("stats sizes_enable\r\nversion\r\n")
                    assertEquals("STAT sizes_status enabled", client.readLine())
                    assertEquals("VERSION fake", client.readLine())
                }
            }
        }

    @Test
    fun `a shutdown is answered by hanging up, as the servers do`() = withServers(2) { servers ->
        for (dispatch in Dispatch.entries) {
            withClient(servers, dispatch) { client ->
                servers.answer("ERROR: shutdown not enabled\r\n", null)
                assertEquals("ERROR: shutdown not enabled", client.ask("shutdown"))
            }
            withClient(servers, dispatch) { client ->
                servers.answer(null, null)
                assertNull(client.ask("shutdown graceful"))
                for (server in servers) assertEquals("shutdown graceful", server.lines.last())
            }
        }
    }

    @Test
    fun `a server that hangs up on anything else has failed`() = withServers(1) { servers ->
        withClient(servers) { client ->
            servers.answer(null)
            assertTrue(client.ask("cache_memlimit 64")!!.endsWith(" closed the connection"))
        }
    }
}
