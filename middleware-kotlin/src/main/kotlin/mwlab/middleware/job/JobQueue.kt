package mwlab.middleware.job

import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ChannelIterator
import java.util.concurrent.atomic.AtomicInteger

/**
 * The queue between clients and workers: one per middleware, first in, first out, bounded. Thread-safe.
 *
 * @param capacity jobs that may wait: with room for all that clients may have under way, none is refused, and all waiting is seen here.
 */
internal class JobQueue(private val capacity: Int) {
    /** Bounded by [waiting], which is counted anyway: a channel with a bound of its own takes three more atomic steps for each job. */
    private val channel = Channel<Job>(Channel.UNLIMITED)
    private val waiting = AtomicInteger()

    val length: Int get() = waiting.get()

    /** Queues [job] and returns the length then, the job included; -1 if the queue is full or closed. Does not suspend. */
    fun enqueue(job: Job): Int {
        val length = waiting.incrementAndGet()
        if (length <= capacity && channel.trySend(job).isSuccess) return length
        waiting.decrementAndGet()
        return -1
    }

    /** Takes one job after the other, the oldest first, suspending while there is none; ends once the queue is closed and empty. */
    operator fun iterator() = Jobs(channel.iterator())

    /** Accepts no more jobs; those waiting can still be taken. Idempotent. */
    fun close() {
        channel.close()
    }

    /** Waiting for the next job takes no memory: the channel's own iterator is what waits. */
    inner class Jobs(private val jobs: ChannelIterator<Job>) {
        suspend operator fun hasNext(): Boolean = jobs.hasNext()

        operator fun next(): Job = jobs.next().also { waiting.decrementAndGet() }
    }
}
