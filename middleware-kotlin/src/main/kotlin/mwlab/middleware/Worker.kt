package mwlab.middleware

import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import mwlab.memcached.Response
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.middleware.reply.Reply
import mwlab.middleware.reply.replyOf
import mwlab.middleware.routing.Part
import mwlab.middleware.routing.Routes
import mwlab.middleware.server.CallGroup
import mwlab.middleware.server.Server
import mwlab.middleware.server.ServerCall
import mwlab.middleware.server.ServerConnection
import mwlab.middleware.server.serverRequest
import mwlab.net.EventLoop

/**
 * Takes one job at a time, sends it to its servers, and hands their reply to the client's socket.
 *
 * Sequential, it waits for the servers before it takes the next job, and has a connection of its own to each. Pipelined, it does
 * not wait, and shares the connections with the other workers of the [loop], to which it is confined.
 */
internal class Worker(
    private val index: Int,
    private val loop: EventLoop,
    private val queue: JobQueue,
    private val servers: List<Server>,
    private val connections: List<ServerConnection>,
    private val recorder: Recorder,
    private val dispatch: Dispatch,
    private val routes: Routes,
) {
    /** Works until the queue is closed and empty. */
    suspend fun run() {
        for (job in queue) {
            job.times.dequeuedNanos = recorder.now()
            recorder.dequeued(index, job.times.dequeuedNanos)
            serve(job)
            recorder.finished(index, recorder.now())
        }
    }

    private suspend fun serve(job: Job) {
        val parts = routes.first(job)
        if (dispatch == Dispatch.PIPELINED && parts.isNotEmpty()) return submit(job, parts)
        var remaining = parts
        do {
            val group = CallGroup(remaining.size)
            val calls = callsOf(job, remaining, group)
            send(job, calls)
            group.await()
            calls.forEach { record(job, it) }
            remaining = routes.retry(job, loop.buffers, recorder)
        } while (remaining.isNotEmpty())
        val reply = reply(job)
        val isDelivered = when (job.client.loop) {
            loop -> job.client.deliver(job, reply)
            else -> withContext(job.client.loop) { job.client.deliver(job, reply) }
        }
        // A client that reads slowly does not hold up a worker: it keeps the reply and writes the rest by itself.
        if (isDelivered) job.release(loop.buffers)
    }

    /** A server that does not take its request at once keeps none of the others waiting. */
    private suspend fun send(job: Job, calls: List<ServerCall>) {
        var unsent: MutableList<suspend () -> Unit>? = null
        for (call in calls) {
            val rest = connections[call.server.index].send(call, serverRequest(job, call)) ?: continue
            unsent = (unsent ?: mutableListOf()).apply { add(rest) }
        }
        if (unsent != null) coroutineScope { unsent.forEach { launch { it() } } }
    }

    private fun submit(job: Job, parts: List<Part>) {
        lateinit var calls: List<ServerCall>
        val group = CallGroup(parts.size) { tryGoOn(job, calls) }
        calls = callsOf(job, parts, group)
        calls.forEach { connections[it.server.index].submit(it, serverRequest(job, it)) }
    }

    @Suppress("TooGenericExceptionCaught") // it runs within a server's connection, which is not to blame for the worker
    private fun tryGoOn(job: Job, calls: List<ServerCall>) = try {
        answered(job, calls)
    } catch (failure: Throwable) {
        loop.execute { throw failure }
    }

    private fun answered(job: Job, calls: List<ServerCall>) {
        calls.forEach { record(job, it) }
        val remaining = routes.retry(job, loop.buffers, recorder)
        if (remaining.isEmpty()) deliverLater(job) else submit(job, remaining)
    }

    private fun deliverLater(job: Job) {
        val reply = reply(job)
        if (job.client.loop === loop) {
            if (job.client.deliver(job, reply)) job.release(loop.buffers)
        } else {
            job.client.loop.execute { if (job.client.deliver(job, reply)) loop.execute { job.release(loop.buffers) } }
        }
    }

    /** New calls for [parts], which join those that [job] has already. */
    private fun callsOf(job: Job, parts: List<Part>, group: CallGroup): List<ServerCall> {
        val patience = routes.patience(job)
        val calls = parts.map { ServerCall(group, servers[it.server], job, it.keys, patience) }
        job.calls = if (job.calls.isEmpty()) calls else job.calls + calls
        return calls
    }

    private fun reply(job: Job): Reply {
        stamp(job.times, job.calls)
        return if (job.calls.isEmpty()) Reply.error(job.request, NO_UNIQUES) else replyOf(job)
    }

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
        const val NO_UNIQUES = "SERVER_ERROR cas uniques differ between servers; " +
            "they need a single one, or --routing consistent-hash without replicas"
    }
}
