package mwlab.middleware.worker

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import mwlab.metrics.stats.Counts
import mwlab.middleware.job.Client
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.net.EventLoop
import mwlab.testing.FakeBackEnd
import mwlab.testing.FakeClient
import mwlab.testing.RemoteClient
import mwlab.testing.VirtualLoop
import mwlab.testing.jobOf
import mwlab.testing.onVirtualLoop
import mwlab.testing.recorderOf
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotSame
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds

class SequentialWorkerTest {
    /** A queue, one worker on a virtual loop, and servers that answer when the test says so. */
    private class Bench(private val virtual: VirtualLoop, servers: Int = 1, hasFailover: Boolean = false) {
        val queue = JobQueue(capacity = 10)
        val backEnd = FakeBackEnd(virtual.loop, servers)
        val server = backEnd.connections.first()
        val client = FakeClient(virtual.loop)
        private val recorder = recorderOf(virtual.loop, servers)

        /** What is counted up to now. */
        val counts get() = Counts(backEnd.servers.size).also(recorder::addTo)
        private val worker =
            Worker(1, virtual.loop, queue, recorder, backEnd.calls(recorder, hasFailover), waits = true)

        fun start(scope: CoroutineScope) = scope.launch { worker.run() }

        suspend fun enqueue(vararg commands: String, client: Client = this.client): List<Job> {
            val jobs = commands.map { jobOf(it, client) }
            jobs.forEach(queue::enqueue)
            virtual.settle()
            return jobs
        }

        suspend fun answer(call: Int, reply: String) {
            server.answer(call, reply)
            virtual.settle()
        }
    }

    @Test
    fun `one job after the other is sent and answered, in the order of the queue`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        bench.enqueue("get a", "get b", "get c")
        assertEquals(listOf("get a"), bench.server.asked, "the worker waits for the reply to the first")
        assertEquals(2, bench.queue.length)
        bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
        assertEquals(listOf("get a", "get b"), bench.server.asked)
        bench.answer(1, "END\r\n")
        bench.answer(2, "VALUE c 0 1\r\n3\r\nEND\r\n")
        assertEquals(
            listOf("VALUE a 0 1\r\n1\r\nEND\r\n", "END\r\n", "VALUE c 0 1\r\n3\r\nEND\r\n"),
            bench.client.replies,
        )
    }

    @Test
    fun `a job carries the number of its worker and the times at which the worker took it and answered it`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            virtual.settle()
            val takenNanos = virtual.loop.clock.nanos()
            val (job) = bench.enqueue("get a")
            virtual.loop.sleepUntil(takenNanos + 5_000_000)
            bench.answer(0, "END\r\n")
            assertEquals(1, job.worker)
            assertEquals(takenNanos, job.times.dequeuedNanos)
            assertEquals(takenNanos, job.times.sentNanos)
            assertEquals(takenNanos + 5_000_000, job.times.answeredNanos)
        }

    @Test
    fun `a set is answered when the last server has answered, by the worst answer`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 3)
        bench.start(this)
        val (job) = bench.enqueue("set k 0 0 1\r\n1")
        val servers = bench.backEnd.connections
        assertEquals(List(3) { listOf("set k") }, servers.map { it.asked })
        servers[2].answer(0, "STORED\r\n")
        servers[0].answer(0, "NOT_STORED\r\n")
        virtual.settle()
        assertEquals(emptyList(), bench.client.replies)
        virtual.skip(3.milliseconds)
        servers[1].answer(0, "STORED\r\n")
        virtual.settle()
        assertEquals(listOf("NOT_STORED\r\n"), bench.client.replies)
        assertEquals(3_000_000, job.times.answeredNanos - job.times.sentNanos)
    }

    @Test
    fun `a server that fails gives its client an error, and the worker serves the next job`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            bench.enqueue("get a", "get b")
            bench.server.fail(0, "closed the connection")
            virtual.settle()
            bench.answer(1, "END\r\n")
            assertEquals(listOf("SERVER_ERROR server-0 closed the connection\r\n", "END\r\n"), bench.client.replies)
        }

    @Test
    fun `with failover a read that one server fails is asked of the next one`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 2, hasFailover = true)
        bench.start(this)
        bench.enqueue("get a")
        val (first, second) = bench.backEnd.connections
        first.fail(0, "did not answer")
        virtual.settle()
        assertEquals(emptyList(), bench.client.replies)
        second.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
        virtual.settle()
        assertEquals(listOf("VALUE a 0 1\r\n1\r\nEND\r\n"), bench.client.replies)
    }

    @Test
    fun `with failover all attempts together take no longer than the timeout`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 3, hasFailover = true)
        bench.start(this)
        bench.enqueue("get a")
        val (first, second, third) = bench.backEnd.connections
        virtual.skip(800.milliseconds)
        first.fail(0, "did not answer")
        virtual.settle()
        assertEquals(100.milliseconds.inWholeNanoseconds, second.calls.single().patience.nanos, "half of what is left")
        virtual.skip(200.milliseconds)
        second.fail(0, "did not answer")
        virtual.settle()
        assertEquals(emptyList(), third.asked)
        assertEquals(listOf("SERVER_ERROR server-1 did not answer\r\n"), bench.client.replies)
    }

    @Test
    fun `an error reply and a failure count as errors of their server, and are errors of the client`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val clients = List(3) { FakeClient(virtual.loop, takesAll = false) }
            clients.forEach { bench.enqueue("get a", client = it) }
            bench.answer(0, "SERVER_ERROR out of memory\r\n")
            bench.server.fail(1, "closed the connection")
            virtual.settle()
            bench.answer(2, "END\r\n")
            assertEquals(listOf(true, true, false), clients.map { it.kept?.isError })
            assertEquals(3 to 2, bench.counts.server.single().run { requests.toInt() to errors.toInt() })
        }

    @Test
    fun `a client that does not take its reply keeps it, and the worker goes on without waiting`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val slow = FakeClient(virtual.loop, takesAll = false)
            bench.enqueue("get a", client = slow)
            val (released) = bench.enqueue("get b")
            bench.answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
            bench.answer(1, "VALUE b 0 1\r\n2\r\nEND\r\n")
            assertEquals(listOf("VALUE b 0 1\r\n2\r\nEND\r\n"), bench.client.replies)
            assertEquals(0, released.calls.single().bytes.capacity(), "the worker has released the delivered reply")
            val kept = slow.kept!!.buffers.single()
            assertNotSame(kept, virtual.loop.buffers.acquire(kept.capacity()), "the client's buffer was released")
        }

    @Test
    fun `a worker that is cancelled while a server owes an answer takes no further job`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val worker = bench.start(this)
        bench.enqueue("get a", "get b")
        worker.cancelAndJoin()
        bench.answer(0, "END\r\n")
        assertEquals(listOf("get a"), bench.server.asked)
        assertEquals(emptyList(), bench.client.replies)
        assertEquals(1, bench.queue.length)
    }

    @Test
    fun `a worker ends when the queue is closed and all jobs in it are answered`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val worker = bench.start(this)
        bench.enqueue("get a", "get b")
        bench.queue.close()
        bench.answer(0, "END\r\n")
        assertFalse(worker.isCompleted)
        bench.answer(1, "END\r\n")
        assertTrue(worker.isCompleted)
        assertEquals(2, bench.client.replies.size)
    }

    @Test
    fun `two workers serve two jobs at a time and answer each client its own`() = onVirtualLoop { virtual ->
        val queue = JobQueue(capacity = 10)
        val backEnds = List(2) { FakeBackEnd(virtual.loop, count = 1) }
        val recorder = recorderOf(virtual.loop, servers = 1)
        val workers = backEnds.mapIndexed { index, backEnd ->
            launch { Worker(index, virtual.loop, queue, recorder, backEnd.calls(recorder), waits = true).run() }
        }
        virtual.settle()
        val clients = List(3) { FakeClient(virtual.loop) }
        clients.forEachIndexed { index, client -> queue.enqueue(jobOf("get k$index", client)) }
        queue.close()
        virtual.settle()
        assertEquals(listOf(listOf("get k0"), listOf("get k1")), backEnds.map { it.connections.single().asked })
        backEnds[1].connections.single().answer(0, "VALUE k1 0 1\r\n1\r\nEND\r\n")
        virtual.settle()
        assertEquals(listOf(0, 1, 0), clients.map { it.replies.size }, "the second worker does not wait for the first")
        backEnds[1].connections.single().answer(1, "VALUE k2 0 1\r\n2\r\nEND\r\n")
        backEnds[0].connections.single().answer(0, "VALUE k0 0 1\r\n0\r\nEND\r\n")
        workers.joinAll()
        assertEquals(List(3) { "VALUE k$it 0 1\r\n$it\r\nEND\r\n" }, clients.map { it.replies.single() })
    }

    @Test
    fun `a client of another loop gets its reply on its own loop`() = EventLoop("worker").use { own ->
        EventLoop("client").use { other ->
            val queue = JobQueue(capacity = 1)
            val backEnd = FakeBackEnd(own, count = 1)
            val recorder = recorderOf(own, servers = 1)
            val client = RemoteClient(other)
            runBlocking(own) {
                val worker = launch { Worker(0, own, queue, recorder, backEnd.calls(recorder), waits = true).run() }
                queue.enqueue(jobOf("get a", client))
                queue.close()
                while (backEnd.connections.single().calls.isEmpty()) delay(1)
                backEnd.connections.single().answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
                worker.join()
            }
            assertEquals("VALUE a 0 1\r\n1\r\nEND\r\n", runBlocking { client.delivered.await() })
        }
    }
}
