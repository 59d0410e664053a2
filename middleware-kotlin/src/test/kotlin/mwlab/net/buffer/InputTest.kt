package mwlab.net.buffer

import kotlinx.coroutines.launch
import mwlab.testing.MemoryConnection
import mwlab.testing.onVirtualLoop
import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class InputTest {
    @Test
    fun `the room of a large message is given back while the next one is waited for`() = onVirtualLoop { virtual ->
        val limit = virtual.loop.buffers.limit
        val connection = MemoryConnection(virtual.loop)
        connection.receive("x".repeat(1_000_000) + "yz")
        while (connection.input.remaining() < 1_000_002) connection.fill()
        assertEquals(1L shl 20, limit.reservedBytes)
        connection.consume(1_000_000)
        launch { connection.fill() }
        virtual.settle()
        assertEquals(0, limit.reservedBytes)
        assertEquals(ByteBuffer.wrap("yz".toByteArray()), connection.input)
        connection.receive("!")
        virtual.settle()
        assertEquals(ByteBuffer.wrap("yz!".toByteArray()), connection.input)
    }

    @Test
    fun `small buffers are counted beyond the limit, but not far`() {
        val pool = BufferPool(BufferLimit(maxBytes = 64 * 1024))
        val large = pool.acquireCounted(64 * 1024)!!
        assertEquals(null, pool.acquireCounted(17 * 1024))
        val small = generateSequence { pool.acquireCounted(1000) }.toList()
        assertEquals(16, small.size)
        assertTrue(pool.limit.isExhausted)
        (small + large).forEach(pool::releaseCounted)
        assertEquals(0, pool.limit.reservedBytes)
    }
}
