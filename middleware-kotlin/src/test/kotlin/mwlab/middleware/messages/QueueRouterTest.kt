package mwlab.middleware.messages

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.testing.bytes
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class QueueRouterTest {
    private val router = QueueRouter(databases = 3)

    private fun read(vararg keys: String, router: QueueRouter = this.router): List<Pair<Int, List<Int>?>> {
        val text = bytes("get ${keys.joinToString(" ")}\r\n")
        val parts = router.retrieval(RequestReader(1).next(text) as Request.Retrieval, text)
        return parts.map { it.server to it.keys?.toList() }
    }

    private fun written(key: String): Int {
        val text = bytes("delete $key\r\n")
        return router.update(RequestReader(1).next(text) as Request.Update, text).single().server
    }

    @Test
    fun `a queue has one database, whoever its messages are to or from`() {
        for (name in List(50) { "queue-$it" }) {
            val owner = written(name)
            for (key in listOf(name, "$name/to/r", "$name/to/r/from/s", "$name/peek")) {
                assertEquals(owner, written(key), key)
                assertEquals(listOf(owner to null), read(key), key)
            }
        }
    }

    @Test
    fun `queues are spread over all databases`() {
        val counts = List(3000) { written("queue-$it") }.groupingBy { it }.eachCount()
        assertTrue(counts.size == 3 && counts.values.all { it in 850..1150 }, "$counts")
    }

    @Test
    fun `all databases are asked which queues have messages`() {
        assertEquals(listOf(0 to null, 1 to null, 2 to null), read("*/waiting"))
        assertEquals(listOf(0 to null, 1 to null, 2 to null), read("*/waiting/to/r"))
    }

    @Test
    fun `of several keys each goes to its own database, in their order`() {
        val names = Array(20) { "queue-$it" }
        val parts = read(*names, "*/waiting")
        assertEquals(listOf(0, 1, 2), parts.map { it.first })
        for ((database, keys) in parts) {
            assertEquals(names.indices.filter { written(names[it]) == database } + 20, keys)
        }
        assertEquals(listOf(0 to null), read(*names, router = QueueRouter(databases = 1)))
    }
}
