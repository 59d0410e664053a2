package mwlab.middleware.messages

import mwlab.testing.bytes
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertNull

class QueueKeyTest {
    private fun messages(key: String) = assertIs<QueueKey.Messages>(QueueKey.parse(key), key).let {
        listOf(it.queue, it.receiver, it.sender, it.isPeek)
    }

    @Test
    fun `a key names a queue, and a receiver and a sender if it has them`() {
        val keys = mapOf(
            "q" to listOf("q", "", null, false),
            "q/to/r" to listOf("q", "r", null, false),
            "q/from/s" to listOf("q", "", "s", false),
            "q/to/r/from/s" to listOf("q", "r", "s", false),
            "q/peek" to listOf("q", "", null, true),
            "q/to/r/from/s/peek" to listOf("q", "r", "s", true),
            "q/to/peek" to listOf("q", "peek", null, false),
            "q/to/from/from/to" to listOf("q", "from", "to", false),
            "to/to/to" to listOf("to", "to", null, false),
            "*" to listOf("*", "", null, false),
        )
        for ((key, told) in keys) assertEquals(told, messages(key), key)
    }

    @Test
    fun `the queues with messages are those to nobody, or to a receiver`() {
        assertEquals("", assertIs<QueueKey.Waiting>(QueueKey.parse("*/waiting")).receiver)
        assertEquals("r", assertIs<QueueKey.Waiting>(QueueKey.parse("*/waiting/to/r")).receiver)
    }

    @Test
    fun `what is no key is told apart`() {
        val wrong = listOf(
            "", "/", "q/", "/q", "q//to/r", "q/to", "q/to/", "q/from", "q/from/s/to/r", "q/to/r/to/r", "q/peek/to/r",
            "q/look",
            "q/peek/peek", "*/waiting/", "*/waiting/peek", "*/waiting/from/s", "*/waiting/to", "q/waiting", "a\tb",
            "q\u0001",
        )
        for (key in wrong) assertNull(QueueKey.parse(key), key)
    }

    @Test
    fun `names are UTF-8`() {
        val name = "gr\u00fc\u00dfe"
        val encoded = String(name.toByteArray(), Charsets.ISO_8859_1)
        val key = QueueKey.parse(bytes("get $encoded"), 4, 4 + encoded.length)
        assertEquals(name, assertIs<QueueKey.Messages>(key).queue)
        assertNull(QueueKey.parse(bytes("\u00fc"), 0, 1))
    }
}
