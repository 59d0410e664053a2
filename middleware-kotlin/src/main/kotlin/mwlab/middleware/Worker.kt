package mwlab.middleware

import kotlinx.coroutines.withContext
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.metrics.JobTimes
import mwlab.metrics.Recorder
import mwlab.net.EventLoop

/**
 * Takes one job at a time: sends it to its servers, waits for all of them, and hands the reply to the client's socket.
 *
 * A worker has a connection of its own to every server, so at most one call is under way on each. Confined to [loop].
 */
internal class Worker(
    private val index: Int,
    private val loop: EventLoop,
    private val queue: JobQueue,
    private val router: Router,
    private val servers: List<Server>,
    private val connections: List<ServerConnection>,
    private val recorder: Recorder,
) {
    /** Works until the queue is closed and empty. */
    suspend fun run() {
        while (true) {
            val job = queue.dequeue() ?: return
            job.times.dequeuedNanos = System.nanoTime()
            recorder.dequeued(index, job.times.dequeuedNanos)
            serve(job)
            recorder.finished(index, System.nanoTime())
        }
    }

    private suspend fun serve(job: Job) {
        val parts = if (job.usesUnique && !router.hasSingleOwners) emptyList() else route(job)
        val group = CallGroup(parts.size)
        job.calls = parts.map { ServerCall(group, servers[it.server], it.keys, job.isQuiet) }
        for (call in job.calls) connections[call.server.index].send(call, serverRequest(job, call))
        group.await()
        finish(job)
    }

    private suspend fun finish(job: Job) {
        stamp(job.times, job.calls)
        job.calls.forEach { record(job, it) }
        val reply = if (job.calls.isEmpty()) Reply.line(NO_UNIQUES, isError = true) else replyOf(job)
        val isDelivered = when (job.client.loop) {
            loop -> job.client.deliver(job, reply)
            else -> withContext(job.client.loop) { job.client.deliver(job, reply) }
        }
        // A client that reads slowly does not hold up a worker: it keeps the reply and writes the rest by itself.
        if (isDelivered) job.release(loop.buffers)
    }

    private fun route(job: Job): List<Part> = when (val request = job.request) {
        is Request.Retrieval -> router.retrieval(request, job.bytes)
        is Request.Update -> router.update(request, job.bytes)
        else -> listOf(Part(0))
    }

    private fun stamp(times: JobTimes, calls: List<ServerCall>) {
        times.sentNanos = calls.maxOfOrNull { it.sentNanos } ?: times.dequeuedNanos
        times.answeredNanos = calls.maxOfOrNull { it.answeredNanos } ?: times.dequeuedNanos
        times.serversNetNanos = calls.maxOfOrNull { it.answeredNanos - it.sentNanos } ?: 0
    }

    private fun record(job: Job, call: ServerCall) {
        val isError = call.failure != null || call.reply is Response.Failure
        recorder.serverUsed(
            call.server.index,
            call.keys?.size ?: job.keyCount,
            call.bytesOut,
            call.bytes.remaining(),
            isError,
        )
        if (call.failure ==
            null
        ) {
            recorder.serverReplied(call.server.index, job.type, call.answeredNanos - call.sentNanos)
        }
    }

    private companion object {
        const val NO_UNIQUES = "SERVER_ERROR cas uniques differ between servers; " +
            "they need a single one, or --routing consistent-hash without replicas"
    }
}
