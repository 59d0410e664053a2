package mwlab.middleware

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.testing.bytes
import kotlin.test.Test
import kotlin.test.assertEquals

class RouterTest {
    private fun get(keys: Int) =
        RequestReader(1).next(bytes("get" + (1..keys).joinToString("") { " k$it" } + "\r\n")) as Request.Retrieval

    private fun Router.shares(keys: Int): List<Pair<Int, List<Int>?>> = retrieval(get(keys)).map {
        it.server to
            it.keys?.toList()
    }

    @Test
    fun `reads go round, from where the worker starts`() {
        val router = RoundRobinRouter(servers = 3, sharded = false, start = 5)
        assertEquals(listOf(2, 0, 1, 2), List(4) { router.retrieval(get(1)).single().server })
    }

    @Test
    fun `shards cover all keys in order, evenly, and go round`() {
        for (servers in 1..5) {
            for (keys in 1..20) {
                val shares = RoundRobinRouter(servers, sharded = true, start = 0).shares(keys)
                assertEquals(minOf(keys, servers), shares.size)
                assertEquals(shares.indices.toList(), shares.map { it.first })
                if (shares.size > 1) {
                    assertEquals((0 until keys).toList(), shares.flatMap { it.second!! })
                    val sizes = shares.map { it.second!!.size }
                    assertEquals(true, sizes.max() - sizes.min() <= 1, "$sizes")
                }
            }
        }
    }

    @Test
    fun `the turn goes on behind a sharded request`() {
        val router = RoundRobinRouter(servers = 3, sharded = true, start = 0)
        assertEquals(listOf(0, 1), router.shares(2).map { it.first })
        assertEquals(listOf(2, 0, 1), router.shares(4).map { it.first })
        assertEquals(listOf(2), router.shares(1).map { it.first })
    }
}
