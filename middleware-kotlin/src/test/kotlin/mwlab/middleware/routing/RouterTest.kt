package mwlab.middleware.routing

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.testing.bytes
import java.net.InetSocketAddress
import java.util.Base64
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class RouterTest {
    private fun Router.read(vararg keys: String): List<Part> {
        val text = bytes("get ${keys.joinToString(" ")}\r\n")
        return retrieval(RequestReader(1).next(text) as Request.Retrieval, text)
    }

    private fun Router.write(key: String): List<Int> {
        val text = bytes("delete $key\r\n")
        return update(RequestReader(1).next(text) as Request.Update, text).map { it.server }
    }

    private fun roundRobin(servers: Int, sharded: Boolean, start: Int) =
        ReplicaRouter(servers, sharded, FirstServer.inTurn(servers, start))

    private fun hash(servers: Int, sharded: Boolean) = ReplicaRouter(servers, sharded, FirstServer.byHash(servers))

    private fun keys(count: Int) = Array(count) { "key-$it" }

    private fun names(servers: Int) = List(servers) { InetSocketAddress("10.0.0.$it", 11211) }

    @Test
    fun `reads go round, from where the worker starts, and changes go everywhere`() {
        val router = roundRobin(servers = 3, sharded = false, start = 5)
        assertEquals(listOf(2, 0, 1, 2), List(4) { router.read("k").single().server })
        assertEquals(listOf(0, 1, 2), router.write("k"))
    }

    @Test
    fun `a read that changes what it reads goes to all servers of its keys, the first of each key always the same`() {
        fun Router.parts(line: String): List<Part> {
            val text = bytes("$line\r\n")
            return retrieval(RequestReader(1).next(text) as Request.Retrieval, text)
        }
        for (line in listOf("gat 10 k", "gats 10 k", "mg k T10", "mg k v N30", "mg k R30 v")) {
            val all = listOf(roundRobin(3, sharded = true, start = 1), hash(3, sharded = true))
            for (router in all) repeat(3) { assertEquals(listOf(0, 1, 2), router.parts(line).map { it.server }, line) }
            val ring = RingRouter(Ring(names(5)), replicas = 3)
            assertEquals(ring.write("k"), ring.parts(line).map { it.server }, line)
        }
        for (line in listOf("get k", "mg k v t h l f", "me k")) {
            assertEquals(1, roundRobin(3, sharded = false, start = 0).parts(line).size, line)
        }
        val ring = RingRouter(Ring(names(5)), replicas = 2)
        val keys = keys(20)
        val parts = ring.parts("gat 10 ${keys.joinToString(" ")}")
        for ((index, key) in keys.withIndex()) {
            val asked = parts.filter { index in (it.keys ?: keys.indices.toList().toIntArray()) }.map { it.server }
            assertEquals(ring.write(key), asked, key)
        }
    }

    @Test
    fun `a key in Base64 has the owners of the key that it stands for`() {
        for (kind in RingKind.entries) {
            val router = RingRouter(Ring(names(5), kind), replicas = 2)
            for (key in keys(50)) {
                val encoded = Base64.getEncoder().encodeToString(key.toByteArray())
                val change = bytes("md $encoded q b\r\n")
                val changed = router.update(RequestReader(1).next(change) as Request.Update, change)
                assertEquals(router.write(key), changed.map { it.server })
                val read = bytes("mg $encoded b v\r\n")
                val part = router.retrieval(RequestReader(1).next(read) as Request.Retrieval, read).single()
                assertEquals(router.read(key).single().server, part.server)
            }
            val wrong = bytes("mg a.b b v\r\n")
            assertEquals(1, router.retrieval(RequestReader(1).next(wrong) as Request.Retrieval, wrong).size)
        }
    }

    @Test
    fun `shards cover all keys in order, evenly, and go round`() {
        for (servers in 1..5) {
            for (count in 1..20) {
                val parts = roundRobin(servers, sharded = true, start = 0).read(*keys(count))
                assertEquals((0 until minOf(count, servers)).toList(), parts.map { it.server })
                if (parts.size > 1) assertEven(count, parts)
            }
        }
    }

    private fun assertEven(count: Int, parts: List<Part>) {
        assertEquals((0 until count).toList(), parts.flatMap { it.keys!!.toList() })
        val sizes = parts.map { it.keys!!.size }
        assertTrue(sizes.max() - sizes.min() <= 1, "$sizes")
    }

    @Test
    fun `the turn goes on behind a sharded request`() {
        val router = roundRobin(servers = 3, sharded = true, start = 0)
        assertEquals(listOf(0, 1), router.read("a", "b").map { it.server })
        assertEquals(listOf(2, 0, 1), router.read("a", "b", "c", "d").map { it.server })
        assertEquals(listOf(2), router.read("a").map { it.server })
    }

    @Test
    fun `a hash always names the same server, and all servers alike`() {
        val router = hash(servers = 3, sharded = false)
        val counts = keys(9000).groupingBy { router.read(it).single().server }.eachCount()
        assertTrue(counts.values.all { it in 2800..3200 }, "$counts")
        assertEquals(router.read("a", "b").single().server, router.read("a", "b").single().server)
        assertEquals(listOf(0, 1, 2), router.write("k"))
    }

    @Test
    fun `hashed shards begin with the server of the key list`() {
        val whole = hash(servers = 3, sharded = false).read("a", "b", "c", "d").single().server
        val parts = hash(servers = 3, sharded = true).read("a", "b", "c", "d")
        assertEquals(List(3) { (whole + it) % 3 }, parts.map { it.server })
        assertEven(4, parts)
    }

    @Test
    fun `a ring gives each key to one server, and every server its share`() {
        val router = RingRouter(Ring(names(3)), replicas = 1)
        val counts = keys(9000).groupingBy { router.read(it).single().server }.eachCount()
        assertTrue(counts.values.all { it in 2400..3600 }, "$counts")
        assertTrue(keys(100).all { router.write(it) == listOf(router.read(it).single().server) })
        assertEquals(1, router.copies)
    }

    @Test
    fun `a multi-get on a ring is split by owner, in the order of the keys`() {
        val router = RingRouter(Ring(names(3)), replicas = 1)
        val parts = router.read(*keys(20))
        assertEquals((0 until 20).toList(), parts.flatMap { it.keys!!.toList() }.sorted())
        for (part in parts) {
            val owned = part.keys!!.toList()
            assertEquals(owned.sorted(), owned)
            for (key in owned) assertEquals(part.server, router.read("key-$key").single().server)
        }
    }

    @Test
    fun `replicas are different successive servers, the first one is read`() {
        for (replicas in 1..4) {
            val router = RingRouter(Ring(names(4)), replicas)
            for (key in keys(100)) {
                val servers = router.write(key)
                assertEquals(replicas, servers.distinct().size)
                assertEquals(servers.first(), router.read(key).single().server)
            }
        }
    }

    @Test
    fun `what a server fails to answer goes to the next one that holds all its keys`() {
        val text = bytes("get ${keys(12).joinToString(" ")}\r\n")
        val request = RequestReader(1).next(text) as Request.Retrieval
        val round = roundRobin(servers = 3, sharded = true, start = 0)
        val part = Part(1, intArrayOf(4, 5))
        assertEquals(listOf(2), round.alternatives(request, text, part, setOf(1)).map { it.server })
        assertEquals(listOf(0), round.alternatives(request, text, part, setOf(1, 2)).map { it.server })
        assertEquals(emptyList(), round.alternatives(request, text, part, setOf(0, 1, 2)))
        val ring = RingRouter(Ring(names(4)), replicas = 2)
        for (owned in ring.retrieval(request, text)) {
            val next = ring.alternatives(request, text, owned, setOf(owned.server))
            assertEquals(owned.keys!!.toSet(), next.flatMap { it.keys!!.toList() }.toSet())
            for (other in next) for (key in other.keys!!) assertEquals(other.server, ring.write("key-$key")[1])
        }
    }

    @Test
    fun `a server that leaves the ring takes only its own keys along`() {
        val before = RingRouter(Ring(names(4)), replicas = 1)
        val after = RingRouter(Ring(names(3)), replicas = 1)
        val moved = keys(4000).filter { before.read(it).single().server != after.read(it).single().server }
        assertTrue(moved.all { before.read(it).single().server == 3 })
    }

    /** Recorded of libmemcached 1.1.4 with MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED: memcached_generate_hash of key-0, key-1, ... */
    @Test
    fun `a ketama ring has libmemcached's owners`() {
        val recorded = mapOf(
            List(3) { InetSocketAddress("10.0.0.${it + 1}", 11211) } to
                "210110001210002122011001221001101101101020102020210210021010",
            List(3) { InetSocketAddress("127.0.0.1", 11311 + it) } to
                "222110122122010211112211221202201222012002011121202100021020",
        )
        for ((addresses, owners) in recorded) {
            val router = RingRouter(Ring(addresses, RingKind.KETAMA), replicas = 1)
            assertEquals(owners, keys(60).joinToString("") { "${router.read(it).single().server}" })
        }
    }

    @Test
    fun `the ring's places are the first 32 bits of MD5`() {
        // echo -n key | md5sum: 3c6e0b8a9c15224a8228b9a98ca1531d
        assertEquals(0x3c6e0b8aL, RingKind.MD5.place(Ring.md5().digest("key".toByteArray())))
    }

    @Test
    fun `a key in base64 belongs to the server of the key that it stands for`() {
        val router = RingRouter(Ring(names(5)), replicas = 1)

        fun serverOf(line: String): Int {
            val text = bytes("$line\r\n")
            return when (val request = RequestReader(9).next(text)) {
                is Request.Retrieval -> router.retrieval(request, text).single().server
                is Request.Update -> router.update(request, text).single().server
                else -> error("$line is for no server")
            }
        }
        for (key in keys(50)) {
            val base64 = Base64.getEncoder().encodeToString(key.toByteArray())
            val owner = serverOf("get $key")
            for (line in listOf("mg $base64 v b", "ms $base64 0 b T0\r\n", "md $base64 q b", "ma $base64 b")) {
                assertEquals(owner, serverOf(line), line)
            }
            assertEquals(owner, serverOf("mg $key v"), key)
        }
        serverOf("mg !!! b")
    }
}
