package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.request.Operation
import mwlab.testing.RealMemcached
import mwlab.testing.UsesPrograms
import java.net.InetSocketAddress
import java.net.Socket
import kotlin.math.roundToLong
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** What the generator reports of each operation is what a real memcached has counted. */
@UsesPrograms
class MixMemcachedTest {
    private fun Generation.count(operation: Operation): Long =
        if ("\"${operation.row}\":{" in json) number(operation.row, "Count").toLong() else 0

    private fun Generation.keys(operation: Operation, what: String): Long =
        (number(operation.row, "$what/sec") / number(operation.row, "Ops/sec") * count(operation)).roundToLong()

    private fun stats(address: InetSocketAddress): Map<String, String> =
        Socket(address.address, address.port).use { socket ->
            socket.getOutputStream().write("stats\r\n".toByteArray())
            socket.getInputStream().bufferedReader().lineSequence().takeWhile { it != "END" }
                .associate { line -> line.split(' ').let { it[1] to it[2] } }
        }

    @Test
    fun `hits and misses of every operation agree with the server's`() = RealMemcached().use { server ->
        val words = "-t 2 -c 3 -n 600 --mix=get:30,set:20,delete:5,touch:5,incr:10,decr:10,cas:10,gat:5,mg:5 " +
            "--key-minimum=1 --key-maximum=30 --distinct-client-seed --seed=4"
        val run = Generation.of(server.address.port, words)
        assertEquals(0, run.status, run.err)
        val stats = stats(server.address).filterValues { it.toLongOrNull() != null }.mapValues { it.value.toLong() }
        assertEquals(3600.0, run.number("Totals", "Count"))
        assertEquals(Operation.OF_OBJECTS.toSet(), Operation.entries.filter { run.count(it) > 0 }.toSet())
        assertEquals(3600, Operation.entries.sumOf { run.count(it) })
        val stored = listOf(Operation.SET, Operation.ADD, Operation.CAS)
        assertEquals(stats["cmd_set"], stored.sumOf { run.count(it) })
        for (operation in listOf(Operation.DELETE, Operation.INCR, Operation.DECR, Operation.CAS)) {
            assertEquals(stats["${operation.word}_hits"], run.keys(operation, "Hits"), operation.word)
            assertEquals(stats["${operation.word}_misses"], run.keys(operation, "Misses"), operation.word)
        }
        val touches = listOf(Operation.TOUCH, Operation.GAT)
        assertEquals(stats["touch_hits"], touches.sumOf { run.keys(it, "Hits") })
        assertEquals(stats["cas_badval"], run.number("middleware-lab", "cas_badval").toLong())
        // Each value that was read is replaced, unless that was the last request of one of the six clients.
        val read = run.keys(Operation.GETS, "Hits")
        assertTrue(run.count(Operation.CAS) in read - 6..read, "$read read, ${run.count(Operation.CAS)} replaced")
        for (operation in Operation.OF_OBJECTS) {
            assertEquals(0.0, run.number("middleware-lab", "Error replies", operation.row), operation.word)
        }
    }

    @Test
    fun `a lonely client's cas always finds the value that it has read`() = RealMemcached().use { server ->
        val words = "-t 1 -c 1 -n 200 --mix=set:1,cas:3 --key-minimum=1 --key-maximum=5"
        val run = Generation.of(server.address.port, words)
        assertEquals(0, run.status, run.err)
        assertTrue(run.count(Operation.CAS) > 50)
        assertEquals(run.count(Operation.CAS), run.keys(Operation.CAS, "Hits"))
        assertEquals(0.0, run.number("middleware-lab", "cas_badval"))
    }

    @Test
    fun `the text report has a row for each operation that was used`() = RealMemcached().use { server ->
        val run = Generation.of(server.address.port, "-t 1 -c 1 -n 50 --mix=get:1,mg:1 --hide-histogram")
        val rows = run.out.lines().dropWhile { !it.startsWith("Type") }.drop(2).takeWhile { it.isNotBlank() }
        assertEquals(listOf("Sets", "Gets", "Waits", "Meta gets", "Totals"), rows.map { it.split("  ")[0].trim() })
        assertEquals(1, rows.map { it.length }.toSet().size, "rows are aligned")
    }

    @Test
    fun `values of the ETC pool are stored and found`() = RealMemcached().use { server ->
        val keys = "--workload=etc --key-minimum=1 --key-maximum=2000"
        val fill = Generation.of(server.address.port, "-t 1 -c 2 -n allkeys --key-pattern=P:P --ratio=1:0 $keys")
        assertEquals(0, fill.status, fill.err)
        assertEquals("2000", stats(server.address)["curr_items"])
        val run = Generation.of(server.address.port, "-t 1 -c 2 -n 620 $keys")
        assertEquals(0, run.status, run.err)
        assertEquals(listOf(40.0, 1200.0), listOf("Sets", "Gets").map { run.number(it, "Count") })
        assertEquals(0.0, run.number("Gets", "Misses/sec"))
        assertEquals(0.0, run.number("middleware-lab", "Error replies", "Sets"))
    }
}
