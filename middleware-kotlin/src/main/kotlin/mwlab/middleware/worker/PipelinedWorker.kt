package mwlab.middleware.worker

import mwlab.metrics.Recorder
import mwlab.middleware.job.AnswerListener
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop

/**
 * Sends one job after the other and does not wait: who is answered is delivered, whatever was sent before or after it. Shares its
 * connections to the servers with all that is sent from its loop.
 */
internal class PipelinedWorker(
    private val index: Int,
    private val loop: EventLoop,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val calls: JobCalls,
) : Worker,
    AnswerListener {
    override suspend fun run() {
        for (job in queue) {
            job.worker = index
            job.times.dequeuedNanos = recorder.now()
            recorder.dequeued(index, job.times.dequeuedNanos)
            submit(job, calls.first(job, this))
            recorder.finished(index, recorder.now())
        }
    }

    @Suppress("TooGenericExceptionCaught") // it runs within a server's connection, which is not to blame for the worker
    override fun answered(job: Job) = try {
        submit(job, calls.next(job))
    } catch (failure: Throwable) {
        loop.execute { throw failure }
    }

    private fun submit(job: Job, next: List<ServerCall>) {
        if (next.isEmpty()) return deliver(job)
        for (call in next) calls.submit(call)
    }

    private fun deliver(job: Job) {
        val client = job.client
        if (client.loop === loop) {
            if (client.deliver(job, calls.reply(job))) job.release(loop.buffers)
            return
        }
        job.keep(loop.buffers)
        val reply = calls.reply(job)
        client.loop.execute { if (client.deliver(job, reply)) loop.execute { job.release(loop.buffers) } }
    }
}
