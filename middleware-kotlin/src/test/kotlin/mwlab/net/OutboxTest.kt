package mwlab.net

import mwlab.net.buffer.BufferPool
import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class OutboxTest {
    private val sent = mutableListOf<String>()
    private val outbox = Outbox<String>(BufferPool(), clock = { 7 }) { call, nanos -> sent += "$call at $nanos" }
    private val written = ByteArrayOutputStream()

    private fun add(call: String, bytes: Int) =
        outbox.add(call, arrayOf(ByteBuffer.wrap(ByteArray(bytes) { call.first().code.toByte() })), bytes)

    /** Takes [room] bytes, as a socket whose buffer is nearly full. */
    private fun write(room: Int): Boolean {
        var left = room
        return outbox.write { buffers ->
            for (buffer in buffers) {
                while (buffer.hasRemaining() && left > 0) written.write(buffer.get().toInt()).also { left-- }
            }
            buffers.none { it.hasRemaining() }
        }
    }

    @Test
    fun `a call whose last byte is out is told, though more of what was gathered with it is not`() {
        listOf("a", "b", "c").forEach { add(it, 10) }
        assertFalse(write(room = 25))
        assertEquals(listOf("a at 7", "b at 7"), sent)
        assertTrue(write(room = 5))
        assertEquals(listOf("a at 7", "b at 7", "c at 7"), sent)
        assertTrue(outbox.isEmpty)
    }

    @Test
    fun `what comes while the socket is full follows in order, small or large`() {
        add("a", 100)
        assertFalse(write(room = 50))
        add("b", 10)
        add("c", 20_000)
        add("d", 10)
        assertFalse(write(room = 70))
        assertEquals(listOf("a at 7", "b at 7"), sent)
        assertTrue(write(room = 100_000))
        assertEquals("a".repeat(100) + "b".repeat(10) + "c".repeat(20_000) + "d".repeat(10), "$written")
        assertEquals(4, sent.size)
    }

    @Test
    fun `what is not written though it is full keeps its own buffers, and its order`() {
        repeat(9) { number -> add("${'a' + number}", 8 * 1024) }
        assertTrue(write(room = 1 shl 20))
        assertEquals(('a'..'i').joinToString("") { "$it".repeat(8 * 1024) }, "$written")
    }

    @Test
    fun `it is full before a small request may not fit any more`() {
        var requests = 0
        while (!outbox.isFull) add("a", 8 * 1024).also { requests++ }
        assertTrue(requests < Outbox.BATCH_BYTES / (8 * 1024) + 1)
        assertTrue(write(room = 1 shl 20))
        assertEquals(requests, sent.size)
        assertFalse(outbox.isFull)
    }

    @Test
    fun `who hears that a call is out may add the next one at once`() {
        val told = mutableListOf<String>()
        lateinit var chained: Outbox<String>
        chained = Outbox(BufferPool(), clock = { 0 }) { call, _ ->
            told += call
            if (told.size < 3) chained.add("next", arrayOf(ByteBuffer.wrap(ByteArray(5))), 5)
        }
        chained.add("first", arrayOf(ByteBuffer.wrap(ByteArray(5))), 5)
        assertTrue(chained.write { buffers -> buffers.forEach { it.position(it.limit()) }.let { true } })
        assertEquals(listOf("first", "next", "next"), told)
        assertTrue(chained.isEmpty)
    }

    @Test
    fun `cleared, it forgets what was not written`() {
        add("a", 10)
        assertFalse(write(room = 5))
        add("b", 10)
        outbox.clear()
        assertTrue(outbox.isEmpty)
        add("c", 3)
        assertTrue(write(room = 10))
        assertEquals("aaaaaccc", "$written")
    }
}
