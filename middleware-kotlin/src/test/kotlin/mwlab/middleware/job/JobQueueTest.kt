package mwlab.middleware.job

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import mwlab.testing.FakeClient
import mwlab.testing.jobOf
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.concurrent.thread
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertSame
import kotlin.test.assertTrue
import kotlinx.coroutines.Job as CoroutineJob

@OptIn(ExperimentalCoroutinesApi::class)
class JobQueueTest {
    private val client = FakeClient(ownLoop = null)

    private fun jobs(count: Int) = List(count) { jobOf("get k$it", client) }

    /** Takes [count] jobs, or all until the queue has ended, into [taken]. */
    private fun CoroutineScope.take(
        queue: JobQueue,
        taken: MutableList<Job>,
        count: Int = Int.MAX_VALUE,
    ): CoroutineJob = launch {
        for (job in queue) {
            taken += job
            if (taken.size == count) break
        }
    }

    @Test
    fun `jobs leave the queue in the order in which they entered it`() = runTest {
        val queue = JobQueue(capacity = 100)
        val queued = jobs(100)
        queued.forEach(queue::enqueue)
        val taken = mutableListOf<Job>()
        take(queue, taken)
        queue.close()
        runCurrent()
        assertEquals(queued, taken)
    }

    @Test
    fun `workers that wait get the next jobs in the order in which they began to wait`() = runTest {
        val queue = JobQueue(capacity = 10)
        val taken = List(3) { mutableListOf<Job>() }
        for (own in taken) {
            take(queue, own, count = 1)
            runCurrent()
        }
        val queued = jobs(3)
        queued.forEach(queue::enqueue)
        runCurrent()
        assertEquals(queued.map { listOf(it) }, taken)
    }

    @Test
    fun `a job is queued with the length of the queue, which counts the jobs that nobody has taken`() = runTest {
        val queue = JobQueue(capacity = 10)
        assertEquals(listOf(1, 2, 3), jobs(3).map(queue::enqueue))
        take(queue, mutableListOf(), count = 2)
        runCurrent()
        assertEquals(1, queue.length)
        assertEquals(2, queue.enqueue(jobs(1).single()))
    }

    @Test
    fun `a full queue refuses a job until a worker has taken one`() = runTest {
        val queue = JobQueue(capacity = 2)
        val (first, second, third, fourth) = jobs(4)
        assertEquals(listOf(1, 2, -1, -1), listOf(first, second, third, fourth).map(queue::enqueue))
        assertEquals(2, queue.length)
        val taken = mutableListOf<Job>()
        take(queue, taken, count = 1)
        runCurrent()
        assertEquals(2, queue.enqueue(fourth))
        take(queue, taken)
        queue.close()
        runCurrent()
        assertEquals(listOf(first, second, fourth), taken, "the third job was refused")
    }

    @Test
    fun `a closed queue refuses jobs, gives those that wait, and then ends`() = runTest {
        val queue = JobQueue(capacity = 10)
        val (first, second, late) = jobs(3)
        queue.enqueue(first)
        queue.enqueue(second)
        queue.close()
        queue.close()
        assertEquals(-1, queue.enqueue(late))
        assertEquals(2, queue.length)
        val taken = mutableListOf<Job>()
        val worker = take(queue, taken)
        runCurrent()
        assertTrue(worker.isCompleted)
        assertEquals(listOf(first, second), taken)
        assertEquals(0, queue.length)
    }

    @Test
    fun `a worker that waits ends when the queue is closed`() = runTest {
        val queue = JobQueue(capacity = 10)
        val worker = take(queue, mutableListOf())
        runCurrent()
        assertTrue(worker.isActive)
        queue.close()
        runCurrent()
        assertTrue(worker.isCompleted)
    }

    @Test
    fun `a worker that is cancelled while it waits takes no job`() = runTest {
        val queue = JobQueue(capacity = 10)
        val (cancelled, other) = List(2) { mutableListOf<Job>() }
        val worker = take(queue, cancelled)
        runCurrent()
        worker.cancelAndJoin()
        val job = jobs(1).single()
        assertEquals(1, queue.enqueue(job))
        take(queue, other, count = 1)
        runCurrent()
        assertEquals(emptyList(), cancelled)
        assertSame(job, other.single())
        assertEquals(0, queue.length)
    }

    @Test
    fun `many threads queue and take every accepted job once, and each client's jobs in order`() {
        val queue = JobQueue(capacity = 50)
        val accepted = ConcurrentLinkedQueue<Job>()
        val clients = List(4) { FakeClient(ownLoop = null) }
        val taken = List(2) { mutableListOf<Job>() }
        val workers = taken.map { own -> thread { runBlocking { take(queue, own) } } }
        val producers = clients.map { client ->
            thread {
                for (job in List(2000) { jobOf("get k$it", client) }) {
                    val length = queue.enqueue(job)
                    if (length >= 0) accepted += job
                    check(length in 1..50 || length == -1) { "a length of $length" }
                }
            }
        }
        producers.forEach { it.join() }
        queue.close()
        workers.forEach { it.join() }
        assertEquals(accepted.toSet(), taken.flatten().toSet())
        assertEquals(accepted.size, taken.flatten().size)
        assertEquals(0, queue.length)
        val numbers = taken.map { own -> own.map { it.client to it.words()[1].drop(1).toInt() } }
        for (own in numbers) {
            for (client in clients) {
                own.filter {
                    it.first == client
                }.let { assertEquals(it.sortedBy { it.second }, it) }
            }
        }
    }
}
