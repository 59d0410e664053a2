package mwlab.middleware.client

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import mwlab.memcached.RequestReader
import mwlab.memcached.ResponseReader
import mwlab.metrics.stats.Counts
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Reply
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.testing.FakeClient
import mwlab.testing.MemoryConnection
import mwlab.testing.VirtualLoop
import mwlab.testing.bytes
import mwlab.testing.jobOf
import mwlab.testing.onVirtualLoop
import mwlab.testing.recorderOf
import java.io.IOException
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class ClientConnectionTest {
    /** A client that is the test, and a queue from which the test takes the jobs. */
    private class Bench(private val virtual: VirtualLoop, capacity: Int = 10) {
        val connection = MemoryConnection(virtual.loop)
        val queue = JobQueue(capacity)
        private val recorder = recorderOf(virtual.loop)

        /** What is counted up to now. */
        val counts get() = Counts(servers = 2).also(recorder::addTo)
        val client =
            ClientConnection(connection, queue, recorder, RequestReader(1 shl 20), { emptyList() }, followed = null)

        /** The jobs that were taken from the queue, oldest first. */
        val taken = mutableListOf<Job>()

        /** Serves the client; the result is how that fails, or null. */
        fun serve(scope: CoroutineScope): Deferred<Throwable?> {
            take(scope)
            return scope.async { runCatching { client.serve() }.exceptionOrNull() }
        }

        /** Takes jobs from the queue, as a worker does whose servers answer at once. */
        fun take(scope: CoroutineScope) = scope.launch {
            for (job in queue) {
                val nanos = virtual.loop.clock.nanos()
                job.times.dequeuedNanos = nanos
                job.times.sentNanos = nanos
                job.times.answeredNanos = nanos
                taken += job
            }
        }

        suspend fun receive(text: String) {
            connection.receive(text)
            virtual.settle()
        }

        /** Answers job number [index], as a worker does; false if the client keeps the rest. */
        suspend fun answer(index: Int, text: String, hangsUp: Boolean = false): Boolean {
            val job = taken[index]
            val isDelivered = client.deliver(job, Reply(arrayOf(bytes(text)), hangsUp = hangsUp))
            if (isDelivered) job.release(virtual.loop.buffers)
            virtual.settle()
            return isDelivered
        }

        val asked: List<String> get() = taken.map { it.words().take(2).joinToString(" ") }
    }

    @Test
    fun `requests that are sent ahead are queued one at a time, and answered in their order`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("get a\r\nget b\r\nget c\r\n")
            assertEquals(listOf("get a"), bench.asked, "the next request waits for the reply to the first")
            bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
            assertEquals(listOf("get a", "get b"), bench.asked)
            bench.answer(1, "END\r\n")
            bench.answer(2, "VALUE c 0 1\r\n3\r\nEND\r\n")
            assertEquals("VALUE a 0 1\r\n1\r\nEND\r\nEND\r\nVALUE c 0 1\r\n3\r\nEND\r\n", bench.connection.written)
        }

    @Test
    fun `a request that arrives byte by byte is queued once, when it is whole`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        val request = "set key 0 0 5\r\nvalue\r\n"
        for (byte in request.dropLast(1)) bench.receive("$byte")
        assertEquals(emptyList(), bench.asked)
        bench.receive(request.takeLast(1))
        val job = bench.taken.single()
        assertEquals(request, Charsets.ISO_8859_1.decode(job.slice(0, job.request.length)).toString())
    }

    @Test
    fun `a full queue is answered with an error, silently without reply, and the client is served on`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, capacity = 1)
            val other = jobOf("get other", FakeClient(virtual.loop))
            bench.queue.enqueue(other)
            val serving = async { bench.client.serve() }
            bench.receive("get a\r\n")
            assertEquals("SERVER_ERROR job queue is full\r\n", bench.connection.written)
            bench.receive("set a 0 0 1 noreply\r\n1\r\n")
            assertEquals("SERVER_ERROR job queue is full\r\n", bench.connection.written)
            bench.take(this)
            virtual.settle()
            bench.receive("get b\r\n")
            assertEquals(listOf("get other", "get b"), bench.asked)
            bench.answer(1, "END\r\n")
            bench.connection.receiveEnd()
            serving.await()
            assertEquals("SERVER_ERROR job queue is full\r\nEND\r\n", bench.connection.written)
            assertEquals(2, bench.counts.refused, "also the one without reply")
        }

    @Test
    fun `a request that needs no server is answered without a job`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        bench.receive("hello\r\nmn\r\n")
        assertEquals("ERROR\r\nMN\r\n", bench.connection.written)
        assertEquals(emptyList(), bench.taken)
        assertEquals(1, bench.counts.refusedRequests, "the first line is wrong, the second one is not")
    }

    @Test
    fun `quit ends the service without a reply, and nothing behind it is served`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val serving = bench.serve(this)
        bench.receive("quit\r\nget a\r\n")
        assertNull(serving.await())
        assertEquals("", bench.connection.written)
        assertEquals(emptyList(), bench.taken)
    }

    @Test
    fun `a reply that hangs up ends the service behind it`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val serving = bench.serve(this)
        bench.receive("get a\r\nget b\r\n")
        bench.answer(0, "bye\r\n", hangsUp = true)
        assertNull(serving.await())
        assertEquals(listOf("get a"), bench.asked)
    }

    @Test
    fun `a client that leaves between two requests or within one ends the service`() {
        for (part in listOf("", "get a", "set a 0 0 5\r\n12")) {
            onVirtualLoop { virtual ->
                val bench = Bench(virtual)
                val serving = bench.serve(this)
                bench.receive(part)
                bench.connection.receiveEnd()
                assertNull(serving.await(), part)
                assertEquals(emptyList(), bench.taken, part)
            }
        }
    }

    @Test
    fun `a client that ends its side still gets the replies to what it has sent`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val serving = bench.serve(this)
        bench.connection.receive("get a\r\nget b\r\n")
        bench.connection.receiveEnd()
        virtual.settle()
        bench.answer(0, "END\r\n")
        bench.answer(1, "END\r\n")
        assertNull(serving.await())
        assertEquals("END\r\nEND\r\n", bench.connection.written)
    }

    @Test
    fun `a client that is gone when its reply comes holds nobody up, and its service fails`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.connection.breakOff()
            assertTrue(bench.answer(0, "END\r\n"), "the worker is not to wait for it")
            bench.answer(1, "END\r\n")
            assertIs<IOException>(serving.await())
            assertEquals("", bench.connection.written)
            assertEquals(2, bench.counts.undeliveredReplies)
            assertEquals(0, bench.counts.types.sumOf { it.requests }, "they are no replies")
        }

    @Test
    fun `a client that reads slowly keeps the rest of its reply, and is served on when it has read it`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.connection.makeRoom(bytes = 6)
            assertFalse(bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n"))
            assertEquals("VALUE ", bench.connection.written)
            assertEquals(listOf("get a"), bench.asked)
            bench.connection.makeRoom(bytes = Int.MAX_VALUE)
            virtual.settle()
            assertEquals("VALUE a 0 1\r\n1\r\nEND\r\n", bench.connection.written)
            assertEquals(listOf("get a", "get b"), bench.asked)
        }

    @Test
    fun `the rest of a reply is copied if its bytes are only lent`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        bench.receive("get a\r\n")
        bench.connection.makeRoom(bytes = 6)
        val job = bench.taken.single()
        val lent = bytes("VALUE a 0 1\r\n1\r\nEND\r\n")
        val call = ServerCall(Server(0, "server-0"), job)
        job.calls = listOf(call)
        call.lend(ResponseReader().next(lent)!!, lent, nanos = 0)
        assertFalse(bench.client.deliver(job, Reply(arrayOf(call.bytes))))
        lent.array().fill('?'.code.toByte())
        bench.connection.makeRoom(bytes = Int.MAX_VALUE)
        virtual.settle()
        assertEquals("VALUE a 0 1\r\n1\r\nEND\r\n", bench.connection.written)
    }

    @Test
    fun `a client that is stopped between two requests is closed, one whose job is under way is answered first`() {
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            virtual.settle()
            bench.client.stop()
            assertIs<IOException>(serving.await())
            assertTrue(bench.connection.isClosed)
        }
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.client.stop()
            bench.answer(0, "END\r\n")
            bench.answer(1, "END\r\n")
            assertNull(serving.await())
            assertEquals("END\r\nEND\r\n", bench.connection.written, "what was received is still answered")
        }
    }

    @Test
    fun `a client that is cancelled while its job is under way ends, and the late reply goes nowhere`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            serving.cancelAndJoin()
            bench.connection.close()
            assertTrue(bench.answer(0, "END\r\n"))
            assertEquals("", bench.connection.written)
            assertEquals(listOf("get a"), bench.asked)
        }

    @Test
    fun `a client that stops within a request is closed after the timeout, one that waits or moves is not`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            fun isClosed() = bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds)
            repeat(3) {
                assertFalse(isClosed(), "a client between two requests may wait")
                virtual.skip(1.hours)
            }
            bench.receive("set a 0 0 5\r\n")
            repeat(5) {
                assertFalse(isClosed(), "the client moves")
                virtual.skip(9.seconds)
                bench.receive("x")
            }
            bench.receive("\r\n")
            repeat(3) {
                assertFalse(isClosed(), "the servers are waited for")
                virtual.skip(1.hours)
            }
            bench.answer(0, "STORED\r\n")
            bench.receive("get")
            assertFalse(isClosed())
            virtual.skip(10.seconds)
            assertFalse(isClosed())
            virtual.skip(1.milliseconds)
            assertTrue(isClosed())
            assertTrue(bench.connection.isClosed)
        }

    @Test
    fun `a client that takes no reply is closed after the timeout`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val serving = bench.serve(this)
        fun isClosed() = bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds)
        bench.receive("get a\r\n")
        bench.connection.makeRoom(bytes = 6)
        assertFalse(bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n"))
        assertFalse(isClosed())
        virtual.skip(11.seconds)
        assertTrue(isClosed())
        assertIs<IOException>(serving.await())
        assertEquals(1, bench.counts.undeliveredReplies, "the rest of the reply is not delivered")
    }

    @Test
    fun `a value that there is no memory for is refused, and the client is served on`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("set a 0 0 200000\r\n${"x".repeat(200_000)}\r\nget b\r\n")
            assertEquals("SERVER_ERROR out of memory storing object\r\n", bench.connection.written)
            assertEquals(listOf("get b"), bench.asked)
        }

    @Test
    fun `a job knows when its first byte came, when it was queued, and for how long its client thought`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("ge")
            val firstByteNanos = virtual.loop.clock.nanos()
            virtual.skip(2.milliseconds)
            bench.receive("t a\r\n")
            virtual.skip(3.milliseconds)
            bench.answer(0, "END\r\n")
            virtual.skip(7.seconds)
            bench.receive("get b\r\n")
            val (first, second) = bench.taken.map { it.times }
            assertEquals(firstByteNanos, first.firstByteNanos)
            assertEquals(firstByteNanos + 2_000_000, first.enqueuedNanos)
            assertEquals(firstByteNanos + 5_000_000, first.repliedNanos)
            assertEquals(7_000_000_000, second.thinkNanos)
        }
}
