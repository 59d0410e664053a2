package mwlab.middleware

import kotlinx.coroutines.channels.Channel
import java.util.concurrent.atomic.AtomicInteger

/**
 * The queue between clients and workers: one per middleware, first in, first out, bounded. Thread-safe.
 *
 * @param capacity jobs that may wait. A client has at most one request under way, so with a capacity of at least the number
 *   of clients no job is refused, and all waiting is seen here instead of hiding in the sockets.
 */
internal class JobQueue(capacity: Int) {
    private val channel = Channel<Job>(capacity)
    private val waiting = AtomicInteger()

    /** Jobs queued and not yet taken. */
    val length: Int get() = waiting.get()

    /** Queues [job] and returns the length then, the job included; -1 if the queue is full or closed. Does not suspend. */
    fun enqueue(job: Job): Int {
        val length = waiting.incrementAndGet()
        if (channel.trySend(job).isSuccess) return length
        waiting.decrementAndGet()
        return -1
    }

    /** Takes the oldest job, suspending while there is none; null once the queue is closed and empty. */
    suspend fun dequeue(): Job? {
        val job = channel.receiveCatching().getOrNull() ?: return null
        waiting.decrementAndGet()
        return job
    }

    /** Accepts no more jobs; those waiting can still be taken. Idempotent. */
    fun close() {
        channel.close()
    }
}
