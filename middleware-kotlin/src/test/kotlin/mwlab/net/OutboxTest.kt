package mwlab.net

import mwlab.testing.MemoryConnection
import mwlab.testing.VirtualLoop
import mwlab.testing.onVirtualLoop
import java.io.IOException
import java.nio.ByteBuffer
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class OutboxTest {
    private class Bench(virtual: VirtualLoop, room: Int = Int.MAX_VALUE) {
        val sent = mutableListOf<String>()
        val dropped = mutableListOf<String>()
        var failure: Throwable? = null
        var writes = 0
        val connection = MemoryConnection(virtual.loop) { writes++ }.apply { makeRoom(room) }
        val outbox: Outbox<String> = Outbox(connection, { call, _ -> sent += call }, ::lose)

        fun add(call: String, bytes: Int = 10) = outbox.add(call, message(call, bytes), bytes)

        fun message(call: String, bytes: Int) = arrayOf(
            ByteBuffer.wrap(
                ByteArray(bytes) {
                    call.first().code.toByte()
                },
            ),
        )

        suspend fun makeRoom(bytes: Int) {
            connection.makeRoom(bytes)
            outbox.awaitRoom()
        }

        private fun lose(cause: Throwable) {
            failure = cause
            outbox.clear { dropped += it }
        }
    }

    @Test
    fun `what is added in one turn is written at its end, in one step`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        listOf("a", "b", "c").forEach { bench.add(it) }
        assertEquals(0, bench.writes)
        virtual.settle()
        assertEquals(1, bench.writes)
        assertEquals(listOf("a", "b", "c"), bench.sent)
    }

    @Test
    fun `a call whose last byte is out is told, though more of what was gathered with it is not`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, room = 25)
            listOf("a", "b", "c").forEach { bench.add(it) }
            virtual.settle()
            assertTrue(bench.outbox.isBlocked)
            assertEquals(listOf("a", "b"), bench.sent)
            assertEquals(5, bench.outbox.remainingBytes)
            bench.makeRoom(5)
            assertEquals(listOf("a", "b", "c"), bench.sent)
            assertTrue(bench.outbox.isEmpty)
        }

    @Test
    fun `what comes while the socket is full follows in order, small or large`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, room = 50)
        bench.add("a", 100)
        virtual.settle()
        bench.add("b")
        bench.add("c", 20_000)
        bench.add("d")
        bench.makeRoom(70)
        assertEquals(listOf("a", "b"), bench.sent)
        bench.makeRoom(100_000)
        val all = "a".repeat(100) + "b".repeat(10) + "c".repeat(20_000) + "d".repeat(10)
        assertEquals(all, bench.connection.written)
        assertEquals(4, bench.sent.size)
    }

    @Test
    fun `many messages of one turn are written as soon as the next one may not fit, and in order`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val calls = ('a'..'z').map { "$it" }
            calls.forEach { bench.add(it, 8 * 1024) }
            assertTrue(bench.writes > 0)
            virtual.settle()
            assertEquals(calls, bench.sent)
            assertEquals(calls.joinToString("") { it.repeat(8 * 1024) }, bench.connection.written)
        }

    @Test
    fun `what is written at once and finds no room goes before what is added then`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, room = 5)
        bench.outbox.writeNow("a", bench.message("a", 10))
        assertFalse(bench.add("b"))
        bench.makeRoom(100)
        assertEquals("a".repeat(10) + "b".repeat(10), bench.connection.written)
        assertEquals(listOf("a", "b"), bench.sent)
    }

    @Test
    fun `who hears that a call is out may add the next one at once`() = onVirtualLoop { virtual ->
        val told = mutableListOf<String>()
        lateinit var chained: Outbox<String>
        fun add(call: String) = chained.add(call, arrayOf(ByteBuffer.wrap(ByteArray(5))), 5)
        chained = Outbox(
            MemoryConnection(virtual.loop),
            { call, _ ->
                told += call
                if (told.size < 3) add("next")
            },
            { throw it },
        )
        add("first")
        virtual.settle()
        assertEquals(listOf("first", "next", "next"), told)
        assertTrue(chained.isEmpty)
    }

    @Test
    fun `a broken connection is told once, and who owns what was not written is named`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, room = 15)
        listOf("a", "b", "c").forEach { bench.add(it) }
        virtual.settle()
        bench.connection.breakOff()
        bench.outbox.awaitRoom()
        assertTrue(bench.failure is IOException)
        assertEquals(listOf("a") to listOf("b", "c"), bench.sent to bench.dropped)
        assertTrue(bench.outbox.isEmpty)
        assertEquals(0, virtual.loop.buffers.limit.reservedBytes)
    }

    @Test
    fun `cleared, it forgets what was not written`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, room = 5)
        bench.add("a")
        virtual.settle()
        bench.add("b")
        bench.outbox.clear()
        assertTrue(bench.outbox.isEmpty)
        bench.connection.makeRoom(100)
        bench.add("c", 3)
        virtual.settle()
        assertEquals("aaaaaccc", bench.connection.written)
    }
}
