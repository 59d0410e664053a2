package mwlab.middleware.worker

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import mwlab.middleware.job.Client
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Reply
import mwlab.net.EventLoop
import mwlab.net.FailureHandler
import mwlab.testing.CLIENT_ADDRESS
import mwlab.testing.FakeBackEnd
import mwlab.testing.FakeClient
import mwlab.testing.RemoteClient
import mwlab.testing.VirtualLoop
import mwlab.testing.jobOf
import mwlab.testing.onVirtualLoop
import mwlab.testing.recorderOf
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotSame
import kotlin.test.assertTrue

class PipelinedWorkerTest {
    /** A queue, one worker on a virtual loop, and servers that answer when the test says so. */
    private class Bench(private val virtual: VirtualLoop, servers: Int = 1, hasFailover: Boolean = false) {
        val queue = JobQueue(capacity = 10)
        val backEnd = FakeBackEnd(virtual.loop, servers)
        val server = backEnd.connections.first()
        val client = FakeClient(virtual.loop)
        private val recorder = recorderOf(virtual.loop, servers)
        private val worker =
            Worker(1, virtual.loop, queue, recorder, backEnd.calls(recorder, hasFailover), waits = false)

        fun start(scope: CoroutineScope) = scope.launch { worker.run() }

        suspend fun enqueue(vararg commands: String, client: Client = this.client): List<Job> {
            val jobs = commands.map { jobOf(it, client) }
            jobs.forEach(queue::enqueue)
            virtual.settle()
            return jobs
        }
    }

    @Test
    fun `all jobs of the queue are sent in their order before any is answered`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        val jobs = bench.enqueue("get a", "get b", "get c")
        assertEquals(listOf("get a", "get b", "get c"), bench.server.asked)
        assertEquals(0, bench.queue.length)
        assertEquals(listOf(1, 1, 1), jobs.map { it.worker })
        assertEquals(emptyList(), bench.client.replies)
    }

    @Test
    fun `replies are delivered as servers answer, each to the client that asked`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 3)
        bench.start(this)
        val clients = List(3) { FakeClient(virtual.loop) }
        clients.forEachIndexed { index, client -> bench.enqueue("get k$index", client = client) }
        val servers = bench.backEnd.connections
        for (index in listOf(2, 0, 1)) {
            servers[index].answer(0, "VALUE k$index 0 1\r\n$index\r\nEND\r\n")
            assertEquals("VALUE k$index 0 1\r\n$index\r\nEND\r\n", clients[index].replies.single())
        }
    }

    @Test
    fun `a set is answered when the last server has answered`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 2)
        bench.start(this)
        bench.enqueue("set k 0 0 1\r\n1", "set k 0 0 1\r\n2")
        val (first, second) = bench.backEnd.connections
        first.answer(0, "STORED\r\n")
        first.answer(1, "NOT_STORED\r\n")
        assertEquals(emptyList(), bench.client.replies)
        second.answer(0, "STORED\r\n")
        second.answer(1, "STORED\r\n")
        assertEquals(listOf("STORED\r\n", "NOT_STORED\r\n"), bench.client.replies)
    }

    @Test
    fun `a job that a server fails gets its error, and the jobs around it are answered`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        bench.start(this)
        bench.enqueue("get a", "get b", "get c")
        bench.server.answer(0, "END\r\n")
        bench.server.fail(1, "closed the connection")
        bench.server.answer(2, "END\r\n")
        assertEquals(
            listOf("END\r\n", "SERVER_ERROR server-0 closed the connection\r\n", "END\r\n"),
            bench.client.replies,
        )
    }

    @Test
    fun `with failover a read that one server fails is asked of the next one`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual, servers = 2, hasFailover = true)
        bench.start(this)
        bench.enqueue("get a")
        val (first, second) = bench.backEnd.connections
        first.fail(0, "did not answer")
        assertEquals(listOf("get a"), second.asked)
        second.answer(0, "END\r\n")
        assertEquals(listOf("END\r\n"), bench.client.replies)
    }

    @Test
    fun `a worker that is cancelled takes no further job, and what it has sent is still answered`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            val worker = bench.start(this)
            bench.enqueue("get a", "get b")
            worker.cancelAndJoin()
            bench.enqueue("get c")
            assertEquals(listOf("get a", "get b"), bench.server.asked)
            assertEquals(1, bench.queue.length)
            bench.server.answer(0, "END\r\n")
            bench.server.answer(1, "END\r\n")
            assertEquals(2, bench.client.replies.size)
        }

    @Test
    fun `a worker ends when the queue is closed and empty, and does not wait for answers`() = onVirtualLoop { virtual ->
        val bench = Bench(virtual)
        val worker = bench.start(this)
        bench.enqueue("get a")
        bench.queue.close()
        virtual.settle()
        assertTrue(worker.isCompleted)
        bench.server.answer(0, "END\r\n")
        assertEquals(listOf("END\r\n"), bench.client.replies)
    }

    @Test
    fun `the worker releases a reply that was taken, and leaves one that was not to its client`() =
        onVirtualLoop { virtual ->
            val bench = Bench(virtual)
            bench.start(this)
            val slow = FakeClient(virtual.loop, takesAll = false)
            val (taken) = bench.enqueue("get a")
            bench.enqueue("get b", client = slow)
            bench.server.answer(0, "END\r\n")
            bench.server.answer(1, "END\r\n")
            assertEquals(0, taken.calls.single().bytes.capacity())
            val kept = slow.kept!!.buffers.single()
            assertNotSame(kept, virtual.loop.buffers.acquire(kept.capacity()), "the client's buffer was released")
        }

    @Test
    fun `a client of another loop gets its reply there, and gives the buffer back`() = EventLoop("worker").use { own ->
        EventLoop("client").use { other ->
            val queue = JobQueue(capacity = 1)
            val backEnd = FakeBackEnd(own, count = 1)
            val recorder = recorderOf(own, servers = 1)
            val client = RemoteClient(other)
            val job = jobOf("get a", client)
            runBlocking(own) {
                queue.enqueue(job)
                queue.close()
                Worker(0, own, queue, recorder, backEnd.calls(recorder), waits = false).run()
                backEnd.connections.single().answer(0, "VALUE a 0 1\r\n1\r\nEND\r\n")
                assertEquals("VALUE a 0 1\r\n1\r\nEND\r\n", client.delivered.await())
                while (job.calls.single().bytes.capacity() > 0) delay(1)
            }
        }
    }

    @Test
    fun `an error while a reply is delivered is the loop's, not that of the server's connection`() {
        val failures = ConcurrentLinkedQueue<Throwable>()
        val told = object : FailureHandler {
            override fun connectionFailed(cause: Throwable) = Unit

            override fun loopFailed(loop: EventLoop, cause: Throwable) {
                failures += cause
            }
        }
        EventLoop("test", failures = told).use { loop ->
            val queue = JobQueue(capacity = 1)
            val backEnd = FakeBackEnd(loop, count = 1)
            val recorder = recorderOf(loop, servers = 1)
            val client = object : Client {
                override val loop = loop
                override val address = CLIENT_ADDRESS

                override fun deliver(job: Job, reply: Reply): Unit = error("no such client")
            }
            runBlocking(loop) {
                queue.enqueue(jobOf("get a", client))
                queue.close()
                Worker(0, loop, queue, recorder, backEnd.calls(recorder), waits = false).run()
                backEnd.connections.single().answer(0, "END\r\n")
                while (failures.isEmpty()) delay(1)
            }
        }
        assertEquals("no such client", failures.single().message)
    }
}
