package mwlab.middleware.worker

import mwlab.metrics.Recorder
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.net.EventLoop
import mwlab.net.Waiter

/**
 * Takes one job after the other from the [queue] and sees to it that each is answered. Confined to one loop.
 *
 * @property waits sequential dispatch: the worker waits for the servers' replies before it takes the next job. Without it, dispatch is
 *   pipelined: the worker sends one job after the other, and each reply is delivered when it comes.
 */
internal class Worker(
    private val index: Int,
    loop: EventLoop,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val calls: JobCalls,
    private val waits: Boolean,
) {
    private val waiting = Waiter<Unit>(loop)
    private val onAnswered = ::answered

    /** Works until the queue is closed and empty. */
    suspend fun run() {
        for (job in queue) {
            job.worker = index
            job.times.dequeuedNanos = recorder.now()
            recorder.dequeued(index, job.times.dequeuedNanos)
            calls.ask(job, onAnswered)
            if (waits) {
                if (job.pendingCalls > 0) waiting.await()
                // A client that reads slowly does not hold up a worker: it writes what its socket does not take by itself.
                calls.deliver(job)
            }
            recorder.finished(index, recorder.now())
        }
    }

    private fun answered(job: Job) = calls.guard {
        when {
            calls.askOthers(job) -> Unit
            waits -> waiting.resume(Unit)
            else -> calls.deliver(job)
        }
    }
}
