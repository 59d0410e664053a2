package mwlab.middleware.worker

import mwlab.metrics.Recorder
import mwlab.middleware.job.AnswerListener
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.net.EventLoop
import mwlab.net.Waiter

/** Handles one job at a time: waits for its servers, to each of which it has a connection of its own, and hands its reply over. */
internal class SequentialWorker(
    private val index: Int,
    loop: EventLoop,
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
            calls.ask(job, this)
            if (job.pendingCalls > 0) waiting.await()
            // A client that reads slowly does not hold up a worker: it writes what its socket does not take by itself.
            calls.deliver(job)
            recorder.finished(index, recorder.now())
        }
    }

    override fun answered(job: Job) = calls.guard { if (!calls.askOthers(job)) waiting.resume(Unit) }
}
