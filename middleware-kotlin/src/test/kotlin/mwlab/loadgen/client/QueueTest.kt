package mwlab.loadgen.client

import mwlab.loadgen.Generation
import mwlab.loadgen.rowsOf
import mwlab.testing.UsesSockets
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.math.roundToInt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

@UsesSockets
class QueueTest {
    @TempDir
    lateinit var directory: File

    /** Messages by queue and receiver, and what came of the requests: `Sends`, `Pops Hits`, `Lists Misses` and so on. */
    private class FakeQueues {
        private val messages = HashMap<String, Int>()
        val outcomes = HashMap<String, Int>()

        @Synchronized
        fun answer(line: String): String {
            val (verb, key) = line.split(' ')
            val address = key.removeSuffix("/peek")
            return when {
                verb == "set" -> {
                    outcomes.merge("Sends", 1, Int::plus)
                    messages.merge(address, 1, Int::plus)
                    "STORED\r\n"
                }

                key.startsWith(ALL) -> find("Lists", key, messages.keys.any { it.endsWith(key.removePrefix(ALL)) })

                address != key -> find("Peeks", key, address in messages)

                else -> find("Pops", key, address in messages).also { remove(address) }
            }
        }

        private fun find(row: String, key: String, isThere: Boolean): String {
            outcomes.merge("$row ${if (isThere) "Hits" else "Misses"}", 1, Int::plus)
            return if (isThere) "VALUE $key 0 1\r\nx\r\nEND\r\n" else "END\r\n"
        }

        private fun remove(address: String) {
            messages.computeIfPresent(address) { _, count -> (count - 1).takeIf { it > 0 } }
        }

        private companion object {
            const val ALL = "*/waiting"
        }
    }

    private fun Generation.keys(row: String, what: String): Int =
        (number(row, "$what/sec") / number(row, "Ops/sec") * number(row, "Count")).roundToInt()

    @Test
    fun `messages, hits and misses are counted as the server counts them`() {
        val server = FakeQueues()
        val words = "-t 2 -c 3 -n 500 --queue-mix=send:4,pop:8,peek:1,list:1 --queues=3 --receivers=2 " +
            "--key-prefix=q --distinct-client-seed --hide-histogram"
        val run = Generation.against(words) { line, _ -> server.answer(line) }
        assertEquals(0, run.status, run.err)
        assertEquals(3000.0, run.number("Totals", "Count"))
        assertEquals(server.outcomes["Sends"], run.number("Sends", "Count").toInt())
        for (row in listOf("Pops", "Peeks", "Lists")) {
            assertTrue(run.keys(row, "Hits") > 0 && run.keys(row, "Misses") > 0, row)
            assertEquals(server.outcomes["$row Hits"], run.keys(row, "Hits"), row)
            assertEquals(server.outcomes["$row Misses"], run.keys(row, "Misses"), row)
        }
        for (row in ROWS) assertEquals(0.0, run.number("middleware-lab", "Error replies", row), row)
        assertEquals(8.0, run.number("middleware-lab", "Mix", "pop"))
        assertEquals(listOf(3.0, 2.0), listOf("Queues", "Receivers").map { run.number("middleware-lab", it) })
        val table = run.out.lines().dropWhile { !it.startsWith("Type") }.drop(2).takeWhile { it.isNotBlank() }
        assertEquals(listOf("Sets", "Gets", "Waits") + ROWS + "Totals", table.map { it.substringBefore(' ') })
        assertEquals(listOf("---", "---"), table[3].split(Regex(" +")).subList(2, 4), "what is sent does not miss")
    }

    @Test
    fun `an empty queue is missed, and that is no error`() {
        val run = Generation.against("-t 1 -c 2 -n 50 --queue-mix=pop:1,list:1")
        assertEquals(0, run.status, run.err)
        assertEquals(100, run.keys("Pops", "Misses") + run.keys("Lists", "Misses"))
        assertEquals(0.0, run.number("middleware-lab", "Error replies", "Pops"))
    }

    @Test
    fun `an error of the server is an error of its operation`() {
        val server = FakeQueues()
        val run = Generation.against("-t 1 -c 1 -n 100 --queue-mix=send:1,pop:1") { line, _ ->
            if (line.startsWith("get")) "SERVER_ERROR 10.0.0.9:5432/queues is down\r\n" else server.answer(line)
        }
        assertEquals(0, run.status, run.err)
        assertEquals(100.0, run.number("Sends", "Count") + run.number("Error replies", "Pops"))
        assertEquals(0.0, run.number("Pops", "Count"))
        assertTrue("\"SERVER_ERROR 10.0.0.9:5432/queues is down\": " in run.json, run.err)
    }

    @Test
    fun `followed requests name operation and outcome`() {
        val server = FakeQueues()
        val words = "-t 1 -c 1 -n 60 --queue-mix=send:1,pop:1,peek:1 --receivers=1 --key-prefix=q"
        val follow = "--follow=1/1 --follow-file-prefix=$directory/load"
        val run = Generation.against("$words $follow") { line, _ -> server.answer(line) }
        assertEquals(0, run.status, run.err)
        val rows = rowsOf(File(directory, "load-followed.csv"))
        assertEquals(60, rows.size)
        val outcomes = rows.groupBy({ it["operation"] }, { it["outcome"] }).mapValues { it.value.toSet() }
        assertEquals(setOf("stored"), outcomes["send"])
        assertEquals(setOf("hit", "miss"), outcomes["pop"])
    }

    private companion object {
        val ROWS = listOf("Sends", "Pops", "Peeks", "Lists")
    }
}
