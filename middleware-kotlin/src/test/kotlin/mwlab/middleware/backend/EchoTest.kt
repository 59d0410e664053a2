package mwlab.middleware.backend

import mwlab.middleware.Dispatch
import mwlab.middleware.MiddlewareConfig
import mwlab.testing.ANY_PORT
import mwlab.testing.TextClient
import mwlab.testing.UsesSockets
import mwlab.testing.withMiddleware
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

@UsesSockets
class EchoTest {
    private fun withEcho(test: (TextClient) -> Unit) {
        for (dispatch in Dispatch.entries) {
            val config =
                MiddlewareConfig(ANY_PORT, emptyList(), backEnd = BackEndKind.ECHO, dispatch = dispatch, netThreads = 2)
            withMiddleware(config) { address -> repeat(3) { TextClient(address).use(test) } }
        }
    }

    @Test
    fun `every command is answered at once, as of a memcached that keeps nothing`() = withEcho { client ->
        val answers = mapOf(
            "set k 0 0 1\r\nx" to "STORED",
            "add k 0 0 1\r\nx" to "STORED",
            "get k" to "END",
            "get k l m" to "END",
            "gets k" to "END",
            "delete k" to "DELETED",
            "touch k 0" to "TOUCHED",
            "incr k 1" to "0",
            "mg k v" to "EN",
            "ms k 1\r\nx" to "HD",
            "mn" to "MN",
            "version" to "VERSION development",
            "flush_all" to "OK",
        )
        for ((command, answer) in answers) assertEquals(answer, client.ask(command), command)
        client.send("set k 0 0 1 noreply\r\nx\r\nms k 1 q\r\nx\r\n")
        assertEquals("MN", client.ask("mn"))
    }

    @Test
    fun `what was answered is counted`() = withEcho { client ->
        repeat(5) { client.ask("get k") }
        client.send("stats\r\n")
        val told = client.readUntil("END")
        for (name in listOf("mw_backend echo", "mw_server:echo:state up", "mw_server:echo:errors 0")) {
            assertTrue("STAT $name" in told, "$name is not in $told")
        }
        assertTrue(told.any { it.startsWith("STAT mw_server:echo:requests ") })
    }
}
