package mwlab.middleware.client

import mwlab.memcached.Request
import mwlab.metrics.Recorder
import mwlab.metrics.stats.Outcome
import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.net.Connection
import mwlab.net.Outbox

/**
 * Gives one client the replies to its requests, in the order of the requests. Confined to the loop of the [connection].
 *
 * @param onProgress runs when another request may have room.
 */
internal class ReplyWriter(
    private val connection: Connection,
    private val recorder: Recorder,
    private val followed: FollowedJobs?,
    private val slow: SlowJobs?,
    private val onProgress: () -> Unit,
) {
    private val loop = connection.loop
    private val outcome = Outcome()

    /** The jobs whose replies have not come, or wait for those before them; oldest first. */
    private val awaited = ArrayDeque<Job>()

    /** The replies that come next; a line of the middleware's own belongs to no job. */
    private val outbox = Outbox<Job?>(connection, { job, nanos -> job?.let { sent(it, nanos) } }, ::lose, onProgress)

    /** How many jobs have no reply yet that could be written. */
    val awaitedJobs: Int get() = awaited.size

    /** Requests that are not answered, or not to the end. */
    val unansweredRequests: Int get() = awaited.size + outbox.size

    val isIdle: Boolean get() = awaited.isEmpty() && outbox.isEmpty

    val isBlocked: Boolean get() = outbox.isBlocked

    /** Bytes of the replies that can be written. */
    val remainingBytes: Long get() = outbox.remainingBytes

    /** Why nothing can be written any more; null as long as the client is there. */
    var lost: Throwable? = null
        private set

    /** The connection is to be closed behind what was delivered. */
    var isOver = false

    /** When the latest reply was written; 0 before the first one. */
    var lastReplyNanos = 0L
        private set

    var lastWasError = false
        private set

    /** The reply to [job] is to come behind those before it. */
    fun expect(job: Job) = awaited.addLast(job)

    /** The job that was expected last is refused instead. */
    fun withdraw() {
        awaited.removeLast()
        lastWasError = true
    }

    /** Writes [reply] to [job], and those that have waited for it. Does not fail. */
    fun deliver(job: Job, reply: Reply) {
        job.reply = reply
        while (true) {
            val ready = awaited.firstOrNull()?.reply ?: break
            val next = awaited.removeFirst()
            lastWasError = ready.isError
            isOver = isOver || ready.hangsUp
            write(next, ready)
        }
        onProgress()
    }

    /** Writes a [line] that belongs to no job, given without its end. */
    fun writeLine(line: String) = Reply.line(line).let { outbox.writeNow(null, it.buffers) }

    suspend fun awaitRoom() = outbox.awaitRoom()

    /** Writes at once what nothing is to follow soon, and otherwise with the others of this turn of the loop. */
    private fun write(job: Job, reply: Reply) {
        when {
            lost != null -> drop(job)
            awaited.isEmpty() && outbox.isEmpty -> outbox.writeNow(job, reply.buffers)
            outbox.add(job, reply.buffers, reply.length) -> job.release(loop.buffers)
        }
    }

    private fun sent(job: Job, nanos: Long) {
        val reply = job.reply!!
        lastReplyNanos = nanos
        job.times.repliedNanos = nanos
        outcome.keys = job.keyCount
        outcome.hits = reply.hits
        outcome.misses = if (job.request is Request.Retrieval && !reply.isError) job.keyCount - reply.hits else 0
        outcome.bytesIn = job.request.length
        outcome.bytesOut = reply.length
        outcome.isError = reply.isError
        recorder.replied(job.type, outcome, job.times)
        followed?.replied(job)
        slow?.replied(job)
        job.release(loop.buffers)
    }

    /** The client is gone. Replies that are still to come are dropped as they come: until then, servers may be sent their requests. */
    private fun lose(cause: Throwable) {
        lost = cause
        outbox.clear { job -> job?.let(::drop) }
    }

    private fun drop(job: Job) {
        recorder.undelivered()
        job.release(loop.buffers)
    }
}
