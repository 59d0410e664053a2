package mwlab.memcached

import mwlab.testing.bytes
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

class AdminCommandsTest {
    private fun read(line: String, commands: AdminCommands = AdminCommands(areAllowed = true)): Request =
        RequestReader(1 shl 20, commands).next(bytes("$line\r\n"))!!

    private fun refusal(line: String, commands: AdminCommands = AdminCommands(areAllowed = true)): String? =
        assertIs<Request.Refused>(read(line, commands), line).reply

    @Test
    fun `they are refused unless they are allowed, and the refusal says how to allow them`() {
        for (verb in Verb.entries.filter { it.isAdmin }) {
            val refusal = refusal("${verb.text} a b", AdminCommands.REFUSED)!!
            assertTrue(refusal.startsWith("CLIENT_ERROR ${verb.text} is not "), refusal)
        }
        assertEquals(
            "CLIENT_ERROR cache_memlimit is not allowed: start the middleware with --admin-commands on",
            refusal("cache_memlimit 64", AdminCommands.REFUSED),
        )
        assertEquals(null, refusal("cache_memlimit 64 noreply", AdminCommands.REFUSED))
    }

    @Test
    fun `allowed ones go to all servers, also wrong ones, and without their noreply`() {
        for (line in listOf(
            "slabs",
            "slabs automove 1",
            "lru",
            "cache_memlimit x",
            "refresh_certs",
            "shutdown graceful",
        )) {
            assertEquals(0, assertIs<Request.Update>(read(line), line).keys.count)
        }
        val quiet = assertIs<Request.Update>(read("cache_memlimit 64 noreply"))
        assertEquals(listOf(true, "cache_memlimit 64".length), listOf(quiet.noreply, quiet.replyEnd))
    }

    @Test
    fun `what changes the connection that it comes on is for no server`() {
        for (line in listOf("watch", "watch fetchers", "debugitem ref a")) {
            val command = line.substringBefore(' ')
            assertEquals("CLIENT_ERROR $command is not passed on: send it to a server itself", refusal(line))
        }
    }

    @Test
    fun `a shutdown that asks for no reply does not become one that shuts down`() {
        assertEquals(null, refusal("shutdown noreply"))
    }

    @Test
    fun `a dump is asked for as statistics are, where a connection carries one request at a time`() {
        for (line in listOf("lru_crawler metadump all", "lru_crawler mgdump hash")) {
            assertEquals(Verb.LRU_CRAWLER, assertIs<Request.Inquiry>(read(line)).verb)
        }
        val shared = AdminCommands(areAllowed = true, areDumpsAllowed = false)
        assertEquals(
            "CLIENT_ERROR metadump is not passed on with --dispatch pipelined",
            refusal("lru_crawler metadump all", shared),
        )
        assertIs<Request.Update>(read("lru_crawler crawl all", shared))
        assertEquals("ERROR", refusal("lru_crawler metadump"))
        assertEquals(null, refusal("lru_crawler metadump all noreply"))
    }
}
