package mwlab.middleware.worker

import mwlab.memcached.Response
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Patience
import mwlab.middleware.job.Reply
import mwlab.middleware.job.ServerCall
import mwlab.middleware.routing.Part
import mwlab.middleware.routing.Routes
import mwlab.net.EventLoop
import mwlab.net.Waiter

/**
 * Takes one job after the other from the [queue] and sees to it that each is answered. Confined to one loop.
 *
 * @property waits sequential dispatch: the worker waits for the servers' replies before it takes the next job; otherwise pipelined.
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

/** The calls that one worker makes for its jobs, and the replies that come of them. Confined to the [loop] of the [connections]. */
internal class JobCalls(
    private val backEnd: BackEnd,
    private val connections: List<BackEndConnection>,
    private val routes: Routes,
    private val recorder: Recorder,
    private val loop: EventLoop,
) {
    /** Asks the servers for [job]; [onAnswered] runs, perhaps at once, when all of them have answered or failed. */
    fun ask(job: Job, onAnswered: (Job) -> Unit) {
        job.onAnswered = onAnswered
        val parts = routes.first(job)
        if (parts.isEmpty()) onAnswered(job) else submit(job, parts)
    }

    /** Asks other servers for [job], whose calls are all done, as [ask] does; false if nothing is left to ask. */
    fun askOthers(job: Job): Boolean {
        for (index in job.latestCalls.indices) record(job, job.latestCalls[index])
        val parts = routes.retry(job, loop.buffers, recorder)
        submit(job, parts)
        return parts.isNotEmpty()
    }

    /** Hands the reply to [job] to its client, on the client's loop. */
    fun deliver(job: Job) {
        stamp(job.times, job.calls)
        val reply = if (job.calls.isEmpty()) Reply.error(job.request, ONE_SERVER_ONLY) else backEnd.replyTo(job)
        val client = job.client
        if (client.loop === loop) client.deliver(job, reply) else client.loop.execute { client.deliver(job, reply) }
    }

    /** Runs [step], which a server's connection has called: that one is not to blame if it fails. */
    @Suppress("TooGenericExceptionCaught")
    inline fun guard(step: () -> Unit) = try {
        step()
    } catch (failure: Throwable) {
        loop.execute { throw failure }
    }

    /** Makes new calls for [parts], which join those that [job] has already. */
    private fun submit(job: Job, parts: List<Part>) {
        if (parts.isEmpty()) return
        val patience = routes.patience(job)
        job.pendingCalls = parts.size
        // One server is the usual case, and its list the smallest one.
        val calls = parts.singleOrNull()?.let { listOf(callOf(it, job, patience)) }
            ?: parts.map { callOf(it, job, patience) }
        job.latestCalls = calls
        job.calls = if (job.calls.isEmpty()) calls else job.calls + calls
        for (index in calls.indices) connections[calls[index].server.index].submit(calls[index])
    }

    private fun callOf(part: Part, job: Job, patience: Patience) =
        ServerCall(backEnd.servers[part.server], job, part.keys, patience)

    private fun stamp(times: JobTimes, calls: List<ServerCall>) {
        times.sentNanos = times.dequeuedNanos
        times.answeredNanos = times.dequeuedNanos
        // By index and without maxOfOrNull: this runs for every request, and makes no objects.
        for (index in calls.indices) {
            val call = calls[index]
            times.sentNanos = maxOf(times.sentNanos, call.sentNanos)
            times.answeredNanos = maxOf(times.answeredNanos, call.answeredNanos)
            times.serversNetNanos = maxOf(times.serversNetNanos, call.answeredNanos - call.sentNanos)
        }
    }

    private fun record(job: Job, call: ServerCall) {
        val isError = call.failure != null || call.reply is Response.Failure
        val server = call.server.index
        recorder.serverUsed(server, call.keys?.size ?: job.keyCount, call.bytesOut, call.bytes.remaining(), isError)
        if (call.failure == null) recorder.serverReplied(server, job.type, call.answeredNanos - call.sentNanos)
    }

    private companion object {
        const val ONE_SERVER_ONLY = "SERVER_ERROR cas uniques and stale marks differ between servers; " +
            "they need a single one, or --routing consistent-hash without replicas"
    }
}
