package mwlab.middleware.client

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.middleware.job.Client
import mwlab.middleware.job.Job
import mwlab.middleware.job.JobQueue
import mwlab.middleware.job.Reply
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Timer
import mwlab.net.Waiter
import mwlab.net.buffer.BuffersExhausted
import java.io.IOException
import java.net.SocketAddress
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * One client: reads its requests, queues up to [depth] of them at a time, and returns the replies in the order of the requests.
 *
 * Nothing more is read while a request is under way, so that its bytes stay where they are. A request about a key that another one under
 * way changes, or that would change a key of another one, waits for it. Confined to the loop of the connection, which the caller closes.
 */
internal class ClientConnection(
    private val connection: Connection,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val requests: RequestReader,
    private val depth: Int,
    private val ownStatistics: suspend () -> List<Pair<String, Any?>>,
    followed: FollowedJobs? = null,
    slow: SlowJobs? = null,
) : Client {
    override val loop: EventLoop get() = connection.loop
    override val address: SocketAddress = connection.remoteAddress

    private val connectedNanos = connection.loop.clock.nanos()

    /** Requests that came too late to be answered. */
    var lateRequests = 0L
        private set

    val unansweredRequests: Int get() = replies.unansweredRequests

    private val limit = connection.loop.buffers.limit
    private val keysUnderWay = KeysUnderWay()
    private val replies = ReplyWriter(connection, recorder, followed, slow, ::goOn)

    /** Number of the next request on this connection, from 0. */
    private var number = 0L

    /** When the request that is being read began; 0 between two. */
    private var firstByteNanos = 0L
    private var isStopping = false
    private var lingering: Timer? = null
    private val stall = Stall()
    private val waiting = Waiter<Unit>(connection.loop)

    /** Serves requests until the client hangs up or [stop] is called; fails with [IOException] when the client is gone. */
    suspend fun serve() {
        try {
            while (!replies.isOver) {
                val request = received()
                when {
                    request != null -> take(request)
                    !readMore() -> break
                }
            }
            settle()
            if (isStopping || replies.isOver) linger()
        } finally {
            lingering?.dispose()
        }
    }

    /** Nothing more is read; what was received so far is still answered. */
    fun stop() {
        isStopping = true
        if (replies.isIdle) endOutput()
    }

    /**
     * Closes the connection if the client has begun to send a request, or take a reply, but has not moved for [timeout] at [nanos], or is
     * between two requests for longer than [idleTimeout]; whether it did. To be asked several times in that time.
     */
    fun closeIfStalled(nanos: Long, timeout: Duration, idleTimeout: Duration?): Boolean {
        // As long as servers are asked, they may still be sent what stands in the client's buffer.
        val outstanding = when {
            replies.awaitedJobs > 0 -> 0
            !replies.isIdle -> replies.remainingBytes
            else -> connection.input.remaining() + requests.bytesToSkip
        }
        // While memory is exhausted, who takes no reply is not waited for.
        val patience = if (replies.isBlocked && limit.isExhausted) Duration.ZERO else timeout
        val isStalled = stall.lastsFor(outstanding, nanos) > patience.inWholeNanoseconds
        val lastMoveNanos = maxOf(connectedNanos, connection.lastReadNanos, replies.lastReplyNanos)
        val isIdleForTooLong = idleTimeout != null && replies.isIdle &&
            nanos - lastMoveNanos > idleTimeout.inWholeNanoseconds
        return (isStalled || isIdleForTooLong).also { if (it) connection.close() }
    }

    override fun deliver(job: Job, reply: Reply) = replies.deliver(job, reply)

    private fun received(): Request? {
        if (!connection.input.hasRemaining()) return null
        if (firstByteNanos == 0L) firstByteNanos = connection.lastReadNanos
        val request = requests.next(connection.input)
        // What was read belonged to data that was refused.
        if (request == null && !connection.input.hasRemaining()) firstByteNanos = 0
        return request
    }

    /** Suspends until more bytes have come, once all that was asked is answered; false if no more are to be read. */
    private suspend fun readMore(): Boolean {
        settle()
        if (replies.isOver || isStopping) return false
        try {
            return connection.fill() && !isStopping
        } catch (_: BuffersExhausted) {
            // No room for the whole value: it is read and dropped, as memcached does when it has none.
            // Its room is free at once: until servers have removed the old value, many others could be refused for want of it.
            val refused = requests.refuseData(connection.input)?.also { connection.keep(it.length) }
            take(refused ?: Request.HangUp(connection.input.remaining(), OUT_OF_MEMORY))
            return true
        }
    }

    private suspend fun take(request: Request) {
        when (request) {
            is Request.HangUp -> if (request.reply == null) settle() else refuse(request.reply)
            is Request.Refused -> refuse(request.reply)
            is Request.NoOperation -> writeLine("MN")
            else -> begin(request)
        }
        if (request is Request.HangUp) replies.isOver = true
        connection.consume(request.length)
        if ((request as? Request.Retrieval)?.continues == true && goesOn()) return
        number++
        firstByteNanos = 0
        stall.moved()
    }

    private suspend fun refuse(line: String?) {
        recorder.refusedRequest()
        writeLine(line)
    }

    private suspend fun begin(request: Request) {
        if (depth > 1 && replies.awaitedJobs > 0 && !keysUnderWay.allows(request, connection.input)) settle()
        // While memory is exhausted, each client has one reply at most that nobody waits for.
        while (replies.awaitedJobs >= (if (limit.isExhausted) 1 else depth) || replies.isBlocked) await()
        if (replies.lost != null) settle()
        if (replies.isOver) return
        val job = jobOf(request)
        if (depth > 1) keysUnderWay.add(request, connection.input)
        replies.expect(job)
        if (job.asksForAllStatistics) job.ownStatistics = ownStatistics()
        job.times.enqueuedNanos = recorder.now()
        val length = queue.enqueue(job)
        if (length >= 0) return recorder.enqueued(job.times.enqueuedNanos, length)
        replies.withdraw()
        recorder.refused()
        writeLine(QUEUE_FULL.takeIf { request.wantsReply })
    }

    /** Waits for the reply to one part of a long line; whether the next part follows, which it does unless this one has failed. */
    private suspend fun goesOn(): Boolean {
        settle()
        if (replies.lastWasError) connection.consume(requests.dropParts())
        return !replies.lastWasError
    }

    private fun jobOf(request: Request): Job {
        val times = JobTimes()
        times.firstByteNanos = firstByteNanos
        val lastReplyNanos = replies.lastReplyNanos
        if (lastReplyNanos != 0L && replies.awaitedJobs == 0) times.thinkNanos = firstByteNanos - lastReplyNanos
        // Keeps the request's place in the buffer, from which others are taken meanwhile.
        return Job(this, request, connection.input.duplicate(), times).also { it.number = number }
    }

    /** Writes what the middleware answers by itself, once all that was asked before is answered. */
    private suspend fun writeLine(line: String?) {
        settle()
        if (line != null && !replies.isOver) replies.writeLine(line)
    }

    /** Suspends until nothing is under way any more. Fails if the client is gone. */
    private suspend fun settle() {
        while (!replies.isIdle) await()
        replies.lost?.let { throw it }
        keysUnderWay.clear()
    }

    private suspend fun await() = if (replies.isBlocked) replies.awaitRoom() else waiting.await()

    /** Lets [serve] go on, if it waits and there is something to do. */
    private fun goOn() {
        if (replies.isBlocked || replies.isIdle || replies.awaitedJobs < depth) waiting.resume(Unit)
    }

    /** Ends this side, and for a while drops and counts what still comes: else a reset would overtake replies on their way. */
    private suspend fun linger() {
        endOutput()
        do {
            while (true) {
                val request = received() ?: break
                if (isStopping) lateRequests++
                val isLast = request is Request.HangUp
                connection.consume(if (isLast) connection.input.remaining() else request.length + requests.dropParts())
            }
        } while (fillOrDrop())
    }

    private suspend fun fillOrDrop(): Boolean = try {
        connection.fill()
    } catch (_: BuffersExhausted) {
        connection.consume(connection.input.remaining())
        true
    }

    private fun endOutput() {
        if (lingering != null) return
        connection.endOutput()
        lingering = loop.startTimer(loop.clock.nanos() + LONGEST_LINGER.inWholeNanoseconds) { connection.close() }
    }

    private companion object {
        const val QUEUE_FULL = "SERVER_ERROR job queue is full"
        const val OUT_OF_MEMORY = "SERVER_ERROR out of memory reading request"
        val LONGEST_LINGER = 1.seconds
    }
}
