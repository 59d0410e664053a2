package mwlab.middleware

import mwlab.middleware.routing.Routing
import mwlab.prove.differential.firstDifference
import mwlab.testing.ANY_PORT
import mwlab.testing.RealMemcached
import mwlab.testing.TextClient
import mwlab.testing.UsesPrograms
import mwlab.testing.withMiddleware
import org.junit.jupiter.api.Assumptions.assumeTrue
import java.net.InetSocketAddress
import java.net.Socket
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** One memcached behind the middleware behaves as one without it. */
@UsesPrograms
class ConformanceTest {
    private fun withBoth(test: (direct: InetSocketAddress, proxied: InetSocketAddress) -> Unit) {
        RealMemcached().use { alone ->
            RealMemcached().use { behind ->
                // With more at a time, workers would make changes of different keys in another order, as `cas` uniques tell.
                val config =
                    MiddlewareConfig(ANY_PORT, listOf(behind.address), workers = 3, depth = 1, adminCommands = true)
                withMiddleware(config) { test(alone.address, it) }
            }
        }
    }

    /** All that comes back for [script]; a value announced too long may swallow its end, so the connection is ended, too. */
    private fun answer(address: InetSocketAddress, script: String, pieces: (ByteArray) -> List<ByteArray>): String =
        Socket(address.address, address.port).use { socket ->
            socket.soTimeout = 300_000
            socket.tcpNoDelay = true
            for (piece in pieces(script.toByteArray(Charsets.ISO_8859_1))) socket.getOutputStream().write(piece)
            socket.shutdownOutput()
            String(socket.getInputStream().readAllBytes(), Charsets.ISO_8859_1)
        }

    /** Replies that differ by seconds alone are alike: the script may meet two servers before and after a tick of the clock. */
    private fun assertAlike(expected: String, found: String, message: String) {
        val (one, other) = listOf(expected, found).map { it.toByteArray(Charsets.ISO_8859_1) }
        if (firstDifference(one, other) >= 0) assertEquals(expected, found, message)
    }

    private fun whole(bytes: ByteArray) = listOf(bytes)

    private fun single(bytes: ByteArray) = bytes.map { byteArrayOf(it) }

    private fun random(random: Random): (ByteArray) -> List<ByteArray> = { bytes ->
        val cuts = (List(random.nextInt(8)) { random.nextInt(bytes.size) } + 0 + bytes.size).sorted()
        cuts.zipWithNext { from, until -> bytes.copyOfRange(from, until) }
    }

    @Test
    fun `generated requests are answered byte for byte as memcached answers them`() = withBoth { direct, proxied ->
        for (seed in 1..200) {
            val script = ScriptGenerator(Random(seed)).script(commands = 25)
            val expected = answer(direct, script, ::whole)
            val cut = if (seed <= 20) ::single else random(Random(seed))
            assertAlike(expected, answer(proxied, script, cut), "seed $seed:\n$script")
        }
    }

    /** Apart from the others, since memcached then also drops the replies that it has not sent yet. */
    @Test
    fun `a get of a key that is too long fails as a whole`() = withBoth { direct, proxied ->
        for (script in listOf("get ${"k".repeat(251)}\r\n", "gets a ${"k".repeat(251)} b\r\n")) {
            assertEquals(answer(direct, script, ::whole), answer(proxied, script, ::whole))
        }
    }

    @Test
    fun `values around the limit are stored or refused as memcached does`() = withBoth { direct, proxied ->
        for (size in listOf(20_000, 1_000_000, 1_048_400, 1_048_500, 1_048_575, 1_048_576, 1_048_577, 3_000_000)) {
            val data = "k 0 0 $size\r\n${"x".repeat(size)}\r\n"
            val script = "set $data" + "append $data" + "get k\r\nset " + data.replaceFirst("\r\n", " noreply\r\n")
            assertEquals(answer(direct, script, ::whole), answer(proxied, script, ::whole), "$size bytes")
        }
    }

    @Test
    fun `an oversized value removes the old one where memcached removes it`() = withBoth { direct, proxied ->
        val data = "x".repeat(1_100_000)
        val lines = listOf("set", "add", "replace", "append", "prepend").map { "$it a 0 0 ${data.length}" } +
            listOf("set a 0 0 ${data.length} noreply", "cas a 0 0 ${data.length} 1", "ms YQ== ${data.length} b q") +
            listOf("", " MA", " C1", " q k Oabc", " T60 I").map { "ms a ${data.length}$it" }
        for (line in lines) {
            val script = "set a 0 0 1\r\n1\r\n$line\r\n$data\r\nget a\r\nmn\r\n"
            assertEquals(answer(direct, script, ::whole), answer(proxied, script, ::whole), line)
        }
    }

    @Test
    fun `an oversized value with wrong flags is the client's error, and the old one stays`() = withBoth { _, proxied ->
        TextClient(proxied).use { client ->
            assertEquals("STORED", client.set("a", "1"))
            for (flags in listOf("z", "k k", "Tx", "Cx", "b")) {
                client.send("ms a 1100000 $flags\r\n${"x".repeat(1_100_000)}\r\n")
                assertEquals("CLIENT_ERROR", client.readLine()!!.substringBefore(' '), flags)
                assertEquals(listOf("VALUE a 0 1", "1"), client.get("a"), flags)
            }
        }
    }

    @Test
    fun `an oversized value removes the old one from all servers that have it`() {
        val servers = List(3) { RealMemcached() }
        for (routing in Routing.entries) {
            val replicas = if (routing == Routing.CONSISTENT_HASH) 2 else null
            val config =
                MiddlewareConfig(
                    ANY_PORT,
                    servers.map {
                        it.address
                    },
                    workers = 1,
                    routing = routing,
                    replicas = replicas,
                )
            withMiddleware(config) { address ->
                TextClient(address).use { client ->
                    for (verb in listOf("set $routing 0 0", "ms $routing")) {
                        assertEquals("STORED", client.set("$routing", "old"))
                        client.send("$verb 1100000\r\n${"x".repeat(1_100_000)}\r\n")
                        assertEquals("SERVER_ERROR object too large for cache", client.readLine())
                        for (server in servers) {
                            TextClient(server.address).use {
                                assertEquals(emptyList(), it.get("$routing"))
                            }
                        }
                        assertEquals("STORED", client.set("$routing", "new"))
                    }
                }
            }
        }
        servers.forEach { it.close() }
    }

    /**
     * One connection each: behind other commands, memcached dumps nothing. Its crawler, once disabled, ends in its own time, and until
     * then cannot be enabled: nothing follows that.
     */
    @Test
    fun `what steers memcached is answered as memcached answers it`() = withBoth { direct, proxied ->
        val lines = """
            |slabs|slabs x|slabs reassign|slabs reassign x y|slabs reassign 1 1|slabs reassign 1 200|slabs reassign 1 2 3
            |slabs automove|slabs automove 0|slabs automove 1|slabs automove 3|slabs automove x|slabs automove ratio 0.8
            |slabs automove ratio|slabs automove x noreply|lru|lru x|lru tune 20 40 0.2 2.0|lru tune 80 80 1 1|lru tune 1
            |lru mode flat|lru mode segmented|lru mode x|lru temp_ttl 60|lru temp_ttl x|lru temp_ttl -1 noreply|lru noreply
            |lru_crawler|lru_crawler x|lru_crawler enable|lru_crawler sleep 100|lru_crawler sleep x|lru_crawler sleep 9999999
            |lru_crawler tocrawl 5|lru_crawler tocrawl x|lru_crawler crawl 500|lru_crawler crawl|lru_crawler metadump
            |lru_crawler metadump all|lru_crawler metadump hash|lru_crawler metadump 500|lru_crawler mgdump|watching
            |cache_memlimit|cache_memlimit 1|cache_memlimit 128|cache_memlimit 2000000000|cache_memlimit x|cache_memlimit 1 2 3
            |cache_memlimit 128 noreply|cache_memlimit noreply|extstore|extstore item_size 5|extstore x 1|extstore item_age x
            |refresh_certs|shutdown|shutdown x|misbehave|debugtime|debugtime 5|ru|stats x
            |stats sizes|stats sizes_enable|stats sizes|stats sizes_disable|stats extstore|stats proxy|stats detail|stats detail on
            |stats detail off|stats cachedump|stats cachedump 1 0|stats cachedump 500 1|stats cachedump x 1|stats items x|stats reset
            |lru_crawler disable
        """.trimMargin().split("|", "\n")
        for (address in listOf(direct, proxied)) TextClient(address).use { it.set("key", "1") }
        val time = Regex("la=\\d+")
        for (line in lines) {
            val script = "$line\r\n"
            val expected = answer(direct, script, ::whole).replace(time, "")
            assertEquals(expected, answer(proxied, script, ::whole).replace(time, ""), line)
        }
    }

    @Test
    fun `memccapable passes`() = withBoth { _, proxied ->
        val program = Path.of("/usr/bin/memccapable")
        assumeTrue(Files.isExecutable(program), "$program is not installed")
        val process = ProcessBuilder(
            "$program",
            "-h",
            "127.0.0.1",
            "-p",
            "${proxied.port}",
            "-a",
        ).redirectErrorStream(true).start()
        val output = process.inputStream.bufferedReader().readText()
        assertTrue(process.waitFor(5, TimeUnit.MINUTES))
        assertTrue("All tests passed" in output, output)
    }
}

/** Writes requests that reach every reply of memcached: right ones, wrong ones, and others that are hardly requests. */
private class ScriptGenerator(private val random: Random) {
    private val keys = listOf("a", "b", "counter", "k".repeat(250), "noreply", "0")
    private val long = "k".repeat(251)
    private val oddities = """
        || |x|get|gets |bget a|gat|gat 10|gat x a|GET a|a b c d|hello world
        |flush_all noreply noreply|verbosity noreply noreply|incr a noreply noreply|touch a noreply noreply|delete a noreply noreply
        |delete $long 1|delete $long 0|delete noreply noreply|delete noreply 0 noreply|delete a 0 0|delete a x noreply|flush_all 0 noreply
        |set a 0 4294967296 4294967297|set a 0 99999999999999999999 1|set a 0 0 2147483648|touch a 4294967295|ms a 4294967297
        |set|set a|set a 0 0|set a 0 0 -1|set a x 0 1|set a 0 0 abc|set a 0 0 1 2 3|add a 0 x 0 noreply|set $long 0 0 0 noreply
        |cas a 0 0 1|cas a 0 0 1 x|incr a|incr a x|incr a -1|incr counter 1 2 3|decr counter 99999999999999999999|incr $long 1 noreply
        |touch a|touch a x|touch a x noreply|touch a noreply|verbosity|verbosity x|flush_all x|flush_all 0 1 2|flush_all -1
        |delete|delete a 0|delete a 1|delete a 0 noreply|delete a 1 2|delete noreply|delete $long|delete $long noreply
        |mg|mg a|mg a z|mg a v v|mg $long v|mg a v k s v c f k s v c f v k s f s v k|mg a v k s c f u O123
        |ms|ms a|ms a x|md|md a z|ma|ma a Mz|ma a Dx|me|me a|mn|mx
    """.trimMargin().split("|", "\n") + listOf(
        "\u0000",
        "\u00ff\u00fe",
        "get a\u0000b",
        "ms a 1 Mz\r\n1",
        "ms a 1 z\r\n1",
    )

    fun script(commands: Int): String = (1..commands).joinToString("") { command() + lineEnd() } + "quit\r\n"

    private fun command(): String = when (random.nextInt(20)) {
        in 0..3 -> "${listOf("get", "gets").random(random)} ${List(random.nextInt(1, 5)) { key() }.joinToString(" ")}"

        4 -> "${listOf("gat", "gats").random(random)} ${seconds()} ${key()} ${key()}"

        in 5..8 -> data(
            "${listOf("set", "add", "replace", "append", "prepend").random(random)} ${key()} ${random.nextInt(99)} 0",
        )

        9 -> "cas ${key()} 0 0 7 ${random.nextInt(40)}${noreply()}\r\n$NUMBER"

        10, 11 -> "${listOf("incr", "decr").random(random)} ${key()} ${random.nextInt(20)}${noreply()}"

        12 -> "delete ${key()}${noreply()}"

        13 -> "touch ${key()} ${seconds()}${noreply()}"

        14 -> listOf("flush_all", "verbosity 0", "version").random(random) + ""

        15 -> "mg ${key()} ${flags("v", "k", "s", "c", "f", "q", "Oabc", "T5000")}"

        16 -> metaData()

        17 -> "${listOf("md", "ma").random(random)} ${key()} ${flags("q", "k", "Oabc", "C5")}"

        else -> oddities.random(random)
    }

    private fun key() = keys.random(random)

    /** Nothing expires during the test: the seconds of two servers do not begin at the same time. */
    private fun seconds() = random.nextInt(1000, 2000)

    private fun noreply() = if (random.nextInt(4) == 0) " noreply" else ""

    private fun lineEnd() = if (random.nextInt(12) == 0) "\n" else "\r\n"

    private fun flags(vararg all: String) = all.filter {
        random.nextBoolean()
    }.shuffled(random).joinToString(" ").ifEmpty { "k" }

    private fun data(line: String): String {
        val value = value()
        return "$line ${value.length + wrongLength()}${noreply()}\r\n$value"
    }

    private fun metaData(): String {
        val value = value()
        return "ms ${key()} ${value.length + wrongLength()} ${flags(
            "q",
            "k",
            "c",
            "Oabc",
            "T9000",
            "F5",
            "ME",
        )}\r\n$value"
    }

    private fun wrongLength() = if (random.nextInt(15) == 0) random.nextInt(1, 4) else 0

    private fun value(): String = when (random.nextInt(4)) {
        0 -> (NUMBER + random.nextInt(1000)).toString()
        1 -> "E\r\nEND\r\n\u0000\u00ff"
        2 -> "x".repeat(random.nextInt(1500))
        else -> ""
    }

    private companion object {
        /** Keeps its digits: what memcached leaves of a number that gets shorter depends on the replies it has not sent yet. */
        const val NUMBER = 5_000_000
    }
}
