package mwlab.middleware.worker

import mwlab.memcached.Response
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.job.AnswerListener
import mwlab.middleware.job.Job
import mwlab.middleware.job.Patience
import mwlab.middleware.job.Reply
import mwlab.middleware.job.ServerCall
import mwlab.middleware.routing.Part
import mwlab.middleware.routing.Routes
import mwlab.net.buffer.BufferPool

/**
 * What one worker asks the servers for its jobs: which calls a job makes first and next, how they are sent, and what reply comes
 * of them. Confined to the loop of the [connections].
 */
internal class JobCalls(
    private val backEnd: BackEnd,
    private val connections: List<BackEndConnection>,
    private val routes: Routes,
    private val recorder: Recorder,
    private val buffers: BufferPool,
) {
    /** The calls to begin with, of which [listener] hears when all are done; empty: there is nothing to ask. */
    fun first(job: Job, listener: AnswerListener): List<ServerCall> {
        job.listener = listener
        return callsOf(job, routes.first(job))
    }

    /** The calls to make again of other servers, now that all are done; empty: the job is ready for its [reply]. */
    fun next(job: Job): List<ServerCall> {
        for (index in job.calls.indices) record(job, job.calls[index])
        return callsOf(job, routes.retry(job, buffers, recorder))
    }

    /** As [BackEndConnection.send]. */
    fun send(call: ServerCall): (suspend () -> Unit)? = connections[call.server.index].send(call)

    /** As [BackEndConnection.submit]. */
    fun submit(call: ServerCall) = connections[call.server.index].submit(call)

    /** What the client gets, once nothing is left to ask. */
    fun reply(job: Job): Reply {
        stamp(job.times, job.calls)
        return if (job.calls.isEmpty()) Reply.error(job.request, NO_UNIQUES) else backEnd.replyTo(job)
    }

    /** New calls for [parts], which join those that [job] has already. */
    private fun callsOf(job: Job, parts: List<Part>): List<ServerCall> {
        if (parts.isEmpty()) return emptyList()
        val patience = routes.patience(job)
        job.pendingCalls = parts.size
        // One server is the usual case, and its list the smallest one.
        val calls = parts.singleOrNull()?.let { listOf(callOf(it, job, patience)) }
            ?: parts.map { callOf(it, job, patience) }
        job.calls = if (job.calls.isEmpty()) calls else job.calls + calls
        return calls
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

    /** A call that was recorded before a retry is not recorded again. */
    private fun record(job: Job, call: ServerCall) {
        if (call.isRecorded) return
        call.isRecorded = true
        val isError = call.failure != null || call.reply is Response.Failure
        val server = call.server.index
        recorder.serverUsed(server, call.keys?.size ?: job.keyCount, call.bytesOut, call.bytes.remaining(), isError)
        if (call.failure == null) recorder.serverReplied(server, job.type, call.answeredNanos - call.sentNanos)
    }

    private companion object {
        const val NO_UNIQUES = "SERVER_ERROR cas uniques differ between servers; " +
            "they need a single one, or --routing consistent-hash without replicas"
    }
}
