package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.testing.RealMemcached
import mwlab.testing.UsesPrograms
import java.net.Socket
import kotlin.test.Test
import kotlin.test.assertEquals

/** What the generator reports is what a real memcached has counted. */
@UsesPrograms
class MemcachedTest {
    @Test
    fun `counts agree with the server's`() = withMemcached { port ->
        val keys = "--key-minimum=1 --key-maximum=500 --data-size=100"
        val fill = Generation.of(port, "-t 2 -c 3 -n allkeys --key-pattern=P:P --ratio=1:0 $keys")
        assertEquals(0, fill.status, fill.err)
        assertEquals("500", stats(port)["curr_items"])
        val before = stats(port)
        val words = "-t 2 -c 4 -n 700 --ratio=1:6 --multi-key-get=3 --key-pattern=R:G --distinct-client-seed $keys"
        val run = Generation.of(port, words)
        assertEquals(0, run.status, run.err)
        val after = stats(port)
        fun grown(name: String) = after.getValue(name).toLong() - before.getValue(name).toLong()
        // Not from the duration, which is printed in whole milliseconds of a run of a tenth of a second.
        val hitsPerGet = run.number("Gets", "Hits/sec") / run.number("Gets", "Ops/sec")
        val hits = hitsPerGet * run.number("Gets", "Count")
        assertEquals(grown("cmd_set"), run.number("Sets", "Count").toLong())
        assertEquals(grown("get_hits").toDouble(), hits, 1.0)
        assertEquals(0, grown("get_misses"))
        assertEquals(grown("cmd_get"), 3 * run.number("Gets", "Count").toLong())
        assertEquals(5600.0, run.number("Totals", "Count"))
    }

    @Test
    fun `every client has one connection, and a new one after each interval`() = withMemcached { port ->
        val before = stats(port).getValue("total_connections").toInt()
        val run = Generation.of(port, "-t 2 -c 2 -n 100 --reconnect-interval=25 --pipeline=3")
        assertEquals(0, run.status, run.err)
        assertEquals(400.0, run.number("Totals", "Count"))
        val ofStats = 1
        assertEquals(4 * 4 + ofStats, stats(port).getValue("total_connections").toInt() - before)
    }

    @Test
    fun `absent keys are misses`() = withMemcached { port ->
        val run = Generation.of(port, "-t 1 -c 1 -n 50 --ratio=0:1 --key-maximum=10")
        assertEquals(0, run.status, run.err)
        assertEquals(50L, stats(port).getValue("get_misses").toLong())
        assertEquals(0.0, run.number("Gets", "Hits/sec"))
        assertEquals(run.number("Gets", "Ops/sec"), run.number("Gets", "Misses/sec"))
    }

    private fun withMemcached(body: (Int) -> Unit) = RealMemcached().use { body(it.address.port) }

    private fun stats(port: Int): Map<String, String> = Socket("127.0.0.1", port).use { socket ->
        socket.getOutputStream().write("stats\r\n".toByteArray())
        socket.getInputStream().bufferedReader().lineSequence().takeWhile { it != "END" }
            .associate { line -> line.split(' ').let { it[1] to it[2] } }
    }
}
