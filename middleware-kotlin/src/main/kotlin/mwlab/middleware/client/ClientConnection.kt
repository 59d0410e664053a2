package mwlab.middleware.client

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.Outcome
import mwlab.middleware.job.Client
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Reply
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Waiter
import mwlab.net.buffer.BuffersExhausted
import java.io.IOException
import kotlin.time.Duration

/**
 * One client: reads its requests, queues them one after the other, and returns the replies in the same order.
 *
 * Requests that are sent ahead wait in the client's own buffer. Confined to the loop of the connection, which belongs to the
 * caller of [serve].
 */
internal class ClientConnection(
    private val connection: Connection,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val requests: RequestReader,
    private val ownStatistics: suspend () -> List<Pair<String, Any?>>,
    private val followed: FollowedJobs.OfClient?,
    private val slow: SlowJobs.OfClient? = null,
) : Client {
    override val loop: EventLoop get() = connection.loop

    private val outcome = Outcome()

    /** Number of the request under way on this connection, from 0. */
    private var number = 0L

    /** When the request under way began; 0 between two. */
    private var firstByteNanos = 0L
    private var lastReplyNanos = 0L
    private var isBusy = false
    private var isStopping = false
    private var isOver = false
    private val stall = Stall()

    /** What is being written to the client while its socket is full. */
    private var unsent: Reply? = null

    /** Resumed when the job under way is answered, with what the socket did not take at once. */
    private val waiting = Waiter<Reply?>(connection.loop)

    /** Serves requests until the client hangs up or [stop] is called; fails with [IOException] when the client is gone. */
    suspend fun serve() {
        while (true) {
            val request = received() ?: try {
                if (isStopping || !connection.fill()) return
                continue
            } catch (_: BuffersExhausted) {
                // No room for the whole value: it is read and dropped, as memcached does when it has none.
                requests.refuseData(connection.input) ?: return
            }
            if (request is Request.HangUp) return
            isBusy = true
            answer(request)
            if (isOver) return
            connection.consume(request.length)
            number++
            firstByteNanos = 0
            isBusy = false
            stall.moved()
        }
    }

    /** Part of [serve], which waits without making an object for it: those that it would call could not. */
    private suspend inline fun answer(request: Request) = when (request) {
        is Request.Refused -> {
            recorder.refusedRequest()
            request.reply?.let { write(Reply.line(it)) }
        }

        is Request.NoOperation -> write(Reply.line("MN"))

        else -> {
            val job = jobOf(request)
            if (job.asksForAllStatistics) job.ownStatistics = ownStatistics()
            if (enqueue(job)) waiting.await()?.let { writeRest(job, it) } else refuse(job)
        }
    }

    /** Nothing more is read; what was received so far is still answered. */
    fun stop() {
        isStopping = true
        if (!isBusy) connection.close()
    }

    /**
     * Closes the connection if the client has begun to send a request, or to take a reply, but has not moved for [timeout] at
     * [nanos]; returns whether it did. To be asked several times in that time.
     */
    fun closeIfStalled(nanos: Long, timeout: Duration): Boolean {
        val outstanding = when {
            unsent != null -> unsent!!.buffers.sumOf { it.remaining().toLong() }
            isBusy -> 0
            else -> connection.input.remaining() + requests.bytesToSkip
        }
        val isStalled = stall.lastsFor(outstanding, nanos) > timeout.inWholeNanoseconds
        if (isStalled) connection.close()
        return isStalled
    }

    /** Hands [reply] to the socket; false if it did not take all of it: the client's coroutine goes on with the rest. */
    override fun deliver(job: Job, reply: Reply): Boolean {
        val isDelivered = try {
            connection.tryWrite(reply.buffers)
        } catch (_: IOException) {
            // Nobody is there to read it; the client's coroutine finds out by itself.
            recorder.undelivered()
            waiting.resume(null)
            return true
        }
        if (isDelivered) finish(job, reply)
        waiting.resume(if (isDelivered) null else job.restOf(reply, loop.buffers))
        return isDelivered
    }

    private fun received(): Request? {
        if (!connection.input.hasRemaining()) return null
        if (firstByteNanos == 0L) firstByteNanos = connection.lastReadNanos
        return requests.next(connection.input)
    }

    private suspend fun write(reply: Reply) {
        unsent = reply
        connection.write(reply.buffers)
        unsent = null
    }

    private fun jobOf(request: Request): Job {
        val times = JobTimes()
        times.firstByteNanos = firstByteNanos
        if (lastReplyNanos != 0L) times.thinkNanos = firstByteNanos - lastReplyNanos
        return Job(this, request, connection.input, times)
    }

    private fun enqueue(job: Job): Boolean {
        job.times.enqueuedNanos = recorder.now()
        val length = queue.enqueue(job)
        if (length >= 0) recorder.enqueued(job.times.enqueuedNanos, length)
        return length >= 0
    }

    private suspend fun refuse(job: Job) {
        recorder.refused()
        write(Reply.error(job.request, "SERVER_ERROR job queue is full"))
    }

    private suspend fun writeRest(job: Job, rest: Reply) {
        try {
            write(rest)
            finish(job, rest)
        } catch (gone: IOException) {
            recorder.undelivered()
            throw gone
        } finally {
            job.release(loop.buffers)
        }
    }

    private fun finish(job: Job, reply: Reply) {
        isOver = reply.hangsUp
        lastReplyNanos = recorder.now()
        job.times.repliedNanos = lastReplyNanos
        outcome.keys = job.keyCount
        outcome.hits = reply.hits
        outcome.misses = if (job.request is Request.Retrieval && !reply.isError) job.keyCount - reply.hits else 0
        outcome.bytesIn = job.request.length
        outcome.bytesOut = reply.length
        outcome.isError = reply.isError
        recorder.replied(job.type, outcome, job.times)
        followed?.replied(number, job)
        slow?.replied(number, job)
    }
}
