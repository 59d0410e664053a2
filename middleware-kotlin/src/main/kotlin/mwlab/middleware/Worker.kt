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
        val parts = route(job.request)
        val group = CallGroup(parts.size)
        job.calls = parts.map { ServerCall(group, servers[it.server], it.keys, isQuiet(job.request)) }
        for (call in job.calls) connections[call.server.index].send(call, serverRequest(job, call))
        group.await()
        stamp(job.times, job.calls)
        job.calls.forEach { record(job, it) }
        val reply = replyOf(job)
        val isDelivered = when (job.client.loop) {
            loop -> job.client.deliver(job, reply)
            else -> withContext(job.client.loop) { job.client.deliver(job, reply) }
        }
        // A client that reads slowly does not hold up a worker: it keeps the reply and writes the rest by itself.
        if (isDelivered) job.release(loop.buffers)
    }

    private fun route(request: Request): List<Part> = when (request) {
        is Request.Retrieval -> router.retrieval(request)
        is Request.Update -> router.update(request)
        else -> listOf(Part(0))
    }

    private fun isQuiet(request: Request): Boolean = when (request) {
        is Request.Retrieval -> request.isQuiet
        is Request.Update -> request.isQuiet
        else -> false
    }

    private fun stamp(times: JobTimes, calls: List<ServerCall>) {
        times.sentNanos = calls.maxOf { it.sentNanos }
        times.answeredNanos = calls.maxOf { it.answeredNanos }
        times.serversNetNanos = calls.maxOf { it.answeredNanos - it.sentNanos }
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
}
