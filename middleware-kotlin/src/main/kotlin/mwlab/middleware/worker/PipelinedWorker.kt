package mwlab.middleware.worker

import mwlab.metrics.Recorder
import mwlab.middleware.job.AnswerListener
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue

/**
 * Sends one job after the other and does not wait: who is answered is delivered, whatever was sent before or after it. Shares its
 * connections to the servers with all that is sent from its loop.
 */
internal class PipelinedWorker(
    private val index: Int,
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
            calls.ask(job, this)
            recorder.finished(index, recorder.now())
        }
    }

    override fun answered(job: Job) = calls.guard { if (!calls.askOthers(job)) calls.deliver(job) }
}
