package mwlab.middleware.worker

import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import mwlab.metrics.Recorder
import mwlab.middleware.job.AnswerListener
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop
import mwlab.net.Waiter

/** Handles one job at a time: waits for its servers, to each of which it has a connection of its own, and for its reply to be out. */
internal class SequentialWorker(
    private val index: Int,
    private val loop: EventLoop,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val calls: JobCalls,
) : Worker,
    AnswerListener {
    private val waiting = Waiter<Unit>(loop)

    override suspend fun run() {
        for (job in queue) {
            job.worker = index
            job.times.dequeuedNanos = recorder.now()
            recorder.dequeued(index, job.times.dequeuedNanos)
            serve(job)
            recorder.finished(index, recorder.now())
        }
    }

    override fun answered(job: Job) = waiting.resume(Unit)

    private suspend fun serve(job: Job) {
        var next = calls.first(job, this)
        while (next.isNotEmpty()) {
            send(next)
            if (job.pendingCalls > 0) waiting.await()
            next = calls.next(job)
        }
        // A client that reads slowly does not hold up a worker: it keeps the reply and writes the rest by itself.
        if (deliver(job)) job.release(loop.buffers)
    }

    private suspend fun deliver(job: Job): Boolean {
        val client = job.client
        if (client.loop === loop) return client.deliver(job, calls.reply(job))
        job.keep(loop.buffers)
        val reply = calls.reply(job)
        return withContext(client.loop) { client.deliver(job, reply) }
    }

    /** A server that does not take its request at once keeps none of the others waiting. */
    private suspend fun send(next: List<ServerCall>) {
        var unsent: MutableList<suspend () -> Unit>? = null
        for (call in next) {
            val rest = calls.send(call) ?: continue
            unsent = (unsent ?: mutableListOf()).apply { add(rest) }
        }
        if (unsent != null) coroutineScope { unsent.forEach { launch { it() } } }
    }
}
