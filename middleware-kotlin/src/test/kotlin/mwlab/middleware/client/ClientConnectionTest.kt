package mwlab.middleware.client

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import mwlab.memcached.RequestReader
import mwlab.metrics.stats.Counts
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Reply
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.middleware.server.serverRequest
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
    private class Bench(
        private val virtual: VirtualLoop,
        capacity: Int = 10,
        depth: Int = 1,
        ownStatistics: suspend () -> List<Pair<String, Any?>> = { emptyList() },
        onWritten: () -> Unit = {},
    ) {
        var writes = 0
        val connection = MemoryConnection(virtual.loop) {
            writes++
            onWritten()
        }
        val queue = JobQueue(capacity)
        private val recorder = recorderOf(virtual.loop)

        /** What is counted up to now. */
        val counts get() = Counts(servers = 2).also(recorder::addTo)
        val client =
            ClientConnection(
                connection,
                queue,
                recorder,
                RequestReader(1 shl 20),
                depth,
                ownStatistics,
                followed = null,
            )

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

        /** Answers job number [index], as a worker does. */
        suspend fun answer(index: Int, text: String, hangsUp: Boolean = false) {
            client.deliver(taken[index], Reply(arrayOf(bytes(text)), hangsUp = hangsUp))
            virtual.settle()
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
        bench.connection.receiveEnd()
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
        bench.connection.receiveEnd()
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
            bench.answer(0, "END\r\n")
            assertIs<IOException>(serving.await())
            assertEquals("", bench.connection.written)
            assertEquals(1, bench.counts.undeliveredReplies)
            assertEquals(0, bench.counts.types.sumOf { it.requests }, "they are no replies")
        }

    @Test
    fun `a client that reads slowly keeps the rest of its reply, and is served on when it has read it`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.connection.makeRoom(bytes = 6)
            bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
            assertEquals("VALUE ", bench.connection.written)
            assertEquals(listOf("get a"), bench.asked)
            bench.connection.makeRoom(bytes = Int.MAX_VALUE)
            virtual.settle()
            assertEquals("VALUE a 0 1\r\n1\r\nEND\r\n", bench.connection.written)
            assertEquals(listOf("get a", "get b"), bench.asked)
        }

    @Test
    fun `what fails while a reply is written ends the service of that client, and not of who delivers the reply`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, depth = 2, onWritten = { throw OutOfMemoryError("direct memory") })
            val serving = bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.answer(0, "END\r\n")
            bench.answer(1, "END\r\n")
            assertIs<OutOfMemoryError>(serving.await())
            assertEquals(2, bench.counts.undeliveredReplies)
        }

    @Test
    fun `while memory is exhausted a client has one request under way`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual, depth = 3)
            bench.serve(this)
            virtual.loop.buffers.limit.reserve(16 * 1024)
            bench.receive("get a\r\nget b\r\nget c\r\nget d\r\n")
            assertEquals(listOf("get a"), bench.asked)
            bench.answer(0, "END\r\n")
            assertEquals(listOf("get a", "get b"), bench.asked)
            virtual.loop.buffers.limit.free(16 * 1024)
            bench.answer(1, "END\r\n")
            assertEquals(listOf("get a", "get b", "get c", "get d"), bench.asked)
        }

    @Test
    fun `while memory is exhausted a client that takes no reply is closed at the second look`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            fun isClosed() =
                bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds, idleTimeout = null)
            bench.receive("get a\r\n")
            bench.connection.makeRoom(bytes = 2)
            bench.answer(0, "END\r\n")
            repeat(2) {
                assertFalse(isClosed(), "there is memory for others")
                virtual.skip(1.seconds)
            }
            virtual.loop.buffers.limit.reserve(16 * 1024)
            assertTrue(isClosed())
        }

    @Test
    fun `a client that is stopped between two requests hears the end, one whose job is under way is answered first`() {
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            virtual.settle()
            bench.client.stop()
            assertTrue(bench.connection.hasEndedOutput)
            bench.connection.receiveEnd()
            assertNull(serving.await())
        }
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            bench.receive("get a\r\nget b\r\n")
            bench.client.stop()
            bench.answer(0, "END\r\n")
            bench.answer(1, "END\r\n")
            bench.connection.receiveEnd()
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
            bench.answer(0, "END\r\n")
            assertEquals("", bench.connection.written)
            assertEquals(listOf("get a"), bench.asked)
        }

    @Test
    fun `a client that stops within a request is closed after the timeout, one that waits or moves is not`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            fun isClosed() =
                bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds, idleTimeout = null)
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
        fun isClosed() =
            bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds, idleTimeout = null)
        bench.receive("get a\r\n")
        bench.connection.makeRoom(bytes = 6)
        bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
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
            bench.receive("add a 0 0 200000\r\n${"x".repeat(200_000)}\r\nget b\r\n")
            assertEquals("SERVER_ERROR out of memory storing object\r\n", bench.connection.written)
            assertEquals(listOf("get b"), bench.asked)
        }

    @Test
    fun `the servers remove the old value if there is no memory for the new one`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual)
            bench.serve(this)
            bench.receive("set a 0 0 200000\r\n${"x".repeat(200_000)}\r\nget b\r\n")
            val removal = bench.taken.single()
            assertEquals(
                0,
                virtual.loop.buffers.limit.reservedBytes,
                "others have the room before servers have answered",
            )
            val call = ServerCall(Server(0, "server-0"), removal)
            val sent = serverRequest(removal, call, virtual.loop.buffers)!!
            assertEquals("delete a\r\n", sent.joinToString("") { Charsets.ISO_8859_1.decode(it).toString() })
            bench.answer(0, "SERVER_ERROR out of memory storing object\r\n")
            assertEquals("get b", bench.asked.last())
        }

    @Test
    fun `a line that there is no memory for is answered, and read to its end`() =
        onVirtualLoop(maxBufferBytes = 16 * 1024) { virtual ->
            val bench = Bench(virtual)
            val serving = bench.serve(this)
            bench.receive("get ${"k ".repeat(50_000)}")
            assertEquals("SERVER_ERROR out of memory reading request\r\n", bench.connection.written)
            bench.receive("k ".repeat(50_000))
            bench.connection.receiveEnd()
            assertNull(serving.await())
        }

    @Test
    fun `statistics that are collected when the end comes are still told`() = onVirtualLoop { virtual ->
        val collected = CompletableDeferred<Unit>()
        val bench = Bench(virtual, ownStatistics = {
            collected.await()
            emptyList()
        })
        bench.serve(this)
        bench.receive("stats\r\n")
        bench.client.stop()
        assertFalse(bench.connection.hasEndedOutput)
        collected.complete(Unit)
        virtual.settle()
        bench.answer(0, "END\r\n")
        assertEquals("END\r\n", bench.connection.written)
        assertTrue(bench.connection.hasEndedOutput)
    }

    @Test
    fun `a request behind data that was refused begins with its own first byte`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        bench.receive("add k 0 0 2000000\r\n${"x".repeat(1_000_000)}")
        virtual.skip(1.seconds)
        bench.receive("x".repeat(1_000_000) + "\r\n")
        virtual.skip(10.seconds)
        bench.receive("get a\r\n")
        assertEquals(virtual.loop.clock.nanos(), bench.taken.single().times.firstByteNanos)
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

    @Test
    fun `a client that sends ahead has not thought`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, depth = 2)
        bench.serve(this)
        bench.receive("get a\r\n")
        bench.answer(0, "END\r\n")
        virtual.skip(7.seconds)
        bench.receive("get b\r\nget c\r\n")
        assertEquals(listOf(-1, 7_000_000_000, -1), bench.taken.map { it.times.thinkNanos })
    }

    @Test
    fun `a get that fails has neither hits nor misses`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        bench.receive("get a b\r\n")
        bench.client.deliver(bench.taken.single(), Reply(arrayOf(bytes("SERVER_ERROR\r\n")), isError = true))
        virtual.settle()
        val counts = bench.counts.types.single { it.requests > 0 }
        assertEquals(listOf<Long>(1, 0, 0), listOf(counts.errors, counts.hits, counts.misses))
    }

    @Test
    fun `requests that are sent ahead are under way together up to the depth, and answered in their order`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, depth = 3)
            bench.serve(this)
            bench.receive("get a\r\nget b\r\nget c\r\nget d\r\n")
            assertEquals(listOf("get a", "get b", "get c"), bench.asked)
            bench.answer(2, "VALUE c 0 1\r\n3\r\nEND\r\n")
            assertEquals("", bench.connection.written, "the replies to the first two come first")
            assertEquals(3, bench.taken.size)
            bench.answer(0, "END\r\n")
            assertEquals("END\r\n", bench.connection.written)
            assertEquals("get d", bench.asked.last())
            bench.answer(1, "VALUE b 0 1\r\n2\r\nEND\r\n")
            bench.answer(3, "END\r\n")
            assertEquals(
                "END\r\nVALUE b 0 1\r\n2\r\nEND\r\nVALUE c 0 1\r\n3\r\nEND\r\nEND\r\n",
                bench.connection.written,
            )
        }

    @Test
    fun `a request about a key that another one under way changes waits, as does a change of one that is read`() {
        val together = listOf(
            "get a\r\n" to "get a\r\n",
            "get a b\r\n" to "set c 0 0 1\r\n1\r\n",
            "mg a v\r\n" to "get a\r\n",
        )
        val apart = listOf(
            "set a 0 0 1\r\n1\r\n" to "get a\r\n",
            "get b a\r\n" to "delete a\r\n",
            "set a 0 0 1\r\n1\r\n" to "incr a 1\r\n",
            "gat 10 a\r\n" to "get a\r\n",
            "get a\r\n" to "mg a T30\r\n",
            "get a\r\n" to "flush_all\r\n",
            "flush_all\r\n" to "get a\r\n",
            "get a\r\n" to "md YQ== b\r\n",
        )
        for ((requests, count) in together.map { it to 2 } + apart.map { it to 1 }) {
            onVirtualLoop { virtual ->
                val bench = Bench(virtual, depth = 10)
                bench.serve(this)
                bench.receive(requests.first + requests.second)
                assertEquals(count, bench.taken.size, "$requests")
                bench.answer(0, "END\r\n")
                assertEquals(2, bench.taken.size, "$requests")
            }
        }
    }

    @Test
    fun `a no-operation and an error are answered behind the requests before them`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, depth = 10)
        bench.serve(this)
        bench.receive("get a\r\nmn\r\nhello\r\nget b\r\n")
        assertEquals("", bench.connection.written)
        bench.answer(0, "END\r\n")
        bench.answer(1, "END\r\n")
        assertEquals("END\r\nMN\r\nERROR\r\nEND\r\n", bench.connection.written)
    }

    @Test
    fun `the replies of one turn leave in one write, those that a full socket does not take follow in order`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, depth = 3)
            bench.serve(this)
            bench.receive("get a\r\nget b\r\nget c\r\n")
            bench.connection.makeRoom(bytes = 7)
            for (index in 0..2) bench.client.deliver(bench.taken[index], Reply(arrayOf(bytes("END\r\n"))))
            virtual.settle()
            assertEquals("END\r\nEN", bench.connection.written)
            assertEquals(1, bench.writes)
            bench.connection.makeRoom(bytes = Int.MAX_VALUE)
            virtual.settle()
            assertEquals("END\r\nEND\r\nEND\r\n", bench.connection.written)
        }

    @Test
    fun `the keys of a long line are asked for part by part, others get their turn in between`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, depth = 10)
            bench.serve(this)
            val keys = List(2500) { "k$it" }
            bench.receive("get ${keys.joinToString(" ")}\r\nget last\r\n")
            val parts = listOf(1024, 1024, 452)
            for (index in parts.indices) {
                assertEquals(parts.take(index + 1), bench.taken.map { it.keyCount }.take(3), "one part at a time")
                bench.answer(index, if (index < 2) "VALUE k$index 0 1\r\n1\r\n" else "END\r\n")
            }
            assertEquals("get last", bench.asked.last())
            assertEquals("VALUE k0 0 1\r\n1\r\nVALUE k1 0 1\r\n1\r\nEND\r\n", bench.connection.written)
            assertEquals(listOf(0L, 0L, 0L, 1L), bench.taken.map { it.number })
        }

    @Test
    fun `an error ends the answer to a long line, and the next request is served`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, depth = 10)
        bench.serve(this)
        bench.receive("get ${List(2500) { "k$it" }.joinToString(" ")}\r\nget next\r\n")
        bench.client.deliver(bench.taken[0], Reply.line("SERVER_ERROR gone", isError = true))
        virtual.settle()
        assertEquals("get next", bench.asked.last())
        bench.answer(1, "END\r\n")
        assertEquals("SERVER_ERROR gone\r\nEND\r\n", bench.connection.written)
        virtual.skip(10.seconds)
        bench.receive("get ${List(2500) { "k$it" }.joinToString(" ")}\r\n")
        bench.client.deliver(bench.taken[2], Reply.line("SERVER_ERROR gone", isError = true))
        virtual.skip(10.seconds)
        bench.receive("get last\r\n")
        assertEquals(virtual.loop.clock.nanos(), bench.taken[3].times.firstByteNanos)
        assertEquals(listOf(0L, 1L, 2L, 3L), bench.taken.map { it.number }, "the line is one request")
    }

    @Test
    fun `a line that is too long is refused, however it comes, and nothing behind it is served`() {
        for (step in listOf(1, 500, 5000)) {
            onVirtualLoop { virtual ->
                val bench = Bench(virtual)
                val serving = bench.serve(this)
                for (piece in "delete ${"k".repeat(2100)}\r\nget a\r\n".chunked(step)) bench.receive(piece)
                bench.connection.receiveEnd()
                assertNull(serving.await())
                assertEquals("CLIENT_ERROR line too long\r\n", bench.connection.written, "$step")
                assertEquals(emptyList(), bench.taken)
            }
        }
    }

    @Test
    fun `what comes after the end is dropped and counted, so that no reset overtakes the replies`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual, depth = 10)
            val serving = bench.serve(this)
            bench.receive("get a\r\n")
            bench.client.stop()
            bench.connection.receive("get b\r\nset c 0 0 1\r\n1\r\nget ")
            bench.answer(0, "END\r\n")
            assertEquals("END\r\n", bench.connection.written)
            assertTrue(bench.connection.hasEndedOutput)
            assertFalse(bench.connection.isClosed, "the client may still be reading")
            assertEquals(1, bench.taken.size)
            assertEquals(2, bench.client.lateRequests)
            assertIs<IOException>(serving.await(), "who never hangs up is not waited for longer than a second")
            assertTrue(bench.connection.isClosed)
        }

    @Test
    fun `a client that asks nothing is closed after the idle timeout only`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.serve(this)
        fun isClosed() =
            bench.client.closeIfStalled(virtual.loop.clock.nanos(), timeout = 10.seconds, idleTimeout = 60.seconds)
        virtual.skip(59.seconds)
        assertFalse(isClosed())
        bench.receive("get a\r\n")
        virtual.skip(1.hours)
        assertFalse(isClosed(), "the servers are waited for")
        bench.answer(0, "END\r\n")
        virtual.skip(60.seconds)
        assertFalse(isClosed())
        virtual.skip(1.milliseconds)
        assertTrue(isClosed())
    }
}
