package mwlab.middleware

import mwlab.options.WordListReader
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals

class MiddlewareOptionsTest {
    private fun config(line: String) = MiddlewareConfig.of(WordListReader(MiddlewareOptions.all).read(line.split(' ')))

    /** First and second cell of the rows of README's table of options. */
    private fun readme(): List<String> = File("README.md").readLines()
        .dropWhile { it != "| option | default | |" }.drop(2).takeWhile { it.startsWith("|") }
        .map { row -> row.split(Regex("""(?<!\\)\|""")).let { "${it[1].trim()} | ${it[2].trim()}" } }

    private fun row(name: String, short: Char?, argument: String, default: String): String {
        val letter = short?.let { "`-$it`, " }.orEmpty()
        return "$letter`--$name ${argument.replace("|", "\\|")}` | $default"
    }

    @Test
    fun `README tells every option with its names, values and default, in the order of the help`() {
        val rows = MiddlewareOptions.all
            .mapNotNull { option -> option.argument?.let { row(option.name, option.short, it, option.default) } }
        assertEquals(rows.joinToString("\n"), readme().joinToString("\n"))
    }

    @Test
    fun `the results tell every setting under its name`() {
        val given = "-l 127.0.0.2 -p 1234 -t 8 -s true -m 127.0.0.1:1 127.0.0.1:2 --routing consistent-hash " +
            "--ring ketama --dispatch pipelined --transport ktor --replicas all --net-threads 2 --max-clients 9 " +
            "--depth 4 --queue-capacity 5 --max-value-bytes 6 --max-buffer-bytes 64 --client-timeout 1s " +
            "--idle-timeout 60s --server-timeout 1500us --failover --instrumentation on --stats-dir results " +
            "--histogram-bin 1ms --slow-log 10ms --admin 127.0.0.1:3"
        val told = mapOf(
            "listen" to "127.0.0.2:1234",
            "servers" to listOf("127.0.0.1:1", "127.0.0.1:2"),
            "backend" to "memcached",
            "database" to emptyList<String>(),
            "locks" to "skip-locked",
            "synchronous_commit" to true,
            "workers" to 8,
            "sharded" to true,
            "routing" to "consistent-hash",
            "dispatch" to "pipelined",
            "transport" to "ktor",
            "replicas" to 2,
            "ring" to "ketama",
            "net_threads" to 2,
            "max_clients" to 9,
            "depth" to 4,
            "queue_capacity" to 5,
            "max_value_bytes" to 6,
            "max_buffer_bytes" to 64L,
            "client_timeout_ms" to 1000L,
            "idle_timeout_ms" to 60_000L,
            "server_timeout_ms" to 1.5,
            "failover" to true,
            "admin_commands" to false,
            "instrumentation" to true,
            "slow_log_ms" to 10L,
            "histogram_bin_ms" to 1L,
            "admin" to "127.0.0.1:3",
        )
        assertEquals(told, config(given).describe())
    }

    @Test
    fun `what is not given is as the table has it`() {
        val told = config("-p 1234 -m 127.0.0.1:1 --max-clients 7").describe()
        assertEquals("127.0.0.1:1234", told["listen"])
        assertEquals(64, told["depth"])
        assertEquals(7 * 64, told["queue_capacity"])
        assertEquals(null, told["replicas"])
        assertEquals(3000L, told["server_timeout_ms"])
        assertEquals(0.1, told["histogram_bin_ms"])
        assertEquals(Runtime.getRuntime().maxMemory() / 2, told["max_buffer_bytes"])
    }

    @Test
    fun `the largest max-value-bytes gets buffers for four values by default`() {
        val told = config("-p 1234 -m 127.0.0.1:1 --max-value-bytes 134217728").describe()
        assertEquals(maxOf(4L * 134_217_728, Runtime.getRuntime().maxMemory() / 2), told["max_buffer_bytes"])
    }
}
