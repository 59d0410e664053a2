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
 * Nothing more is read while a request is under way, so that its bytes stay where they are: what is sent ahead waits in the client's own
 * buffer, then in the socket's. A request about a key that another one under way changes, or that would change a key of another one, waits
 * for it. Confined to the loop of the connection, which belongs to the caller of [serve].
 */
internal class ClientConnection(
    private val connection: Connection,
    private val queue: JobQueue,
    private val recorder: Recorder,
    private val requests: RequestReader,
    private val depth: Int,
    private val ownStatistics: suspend () -> List<Pair<String, Any?>>,
    private val followed: FollowedJobs? = null,
    private val slow: SlowJobs? = null,
) : Client {
    override val loop: EventLoop get() = connection.loop
    override val address: SocketAddress = connection.remoteAddress

    private val connectedNanos = connection.loop.clock.nanos()

    /** Requests that came too late to be answered. */
    var lateRequests = 0L
        private set

    /** Requests that are not answered, or not to the end. */
    val unansweredRequests: Int get() = underWay.size + replies.size

    private val limit = connection.loop.buffers.limit
    private val outcome = Outcome()

    /** The jobs whose replies are not in [replies] yet, oldest first. */
    private val underWay = ArrayDeque<Job>()
    private val keysUnderWay = KeysUnderWay()
    private val replies = ReplyWriter(connection, ::sent, ::undelivered, ::goOn)

    /** Whether another request may be under way together with those that are. */
    private var mayJoin = true

    /** Number of the next request on this connection, from 0. */
    private var number = 0L

    /** When the request that is being read began; 0 between two. */
    private var firstByteNanos = 0L
    private var lastReplyNanos = 0L
    private var lastReplyWasError = false
    private var isStopping = false
    private var lingering: Timer? = null
    private var isOver = false
    private val stall = Stall()

    private val waiting = Waiter<Unit>(connection.loop)

    private val isIdle: Boolean get() = underWay.isEmpty() && replies.isEmpty

    /** Serves requests until the client hangs up or [stop] is called; fails with [IOException] when the client is gone. */
    suspend fun serve() {
        try {
            while (!isOver) {
                val request = received()
                when {
                    request != null -> take(request)
                    !readMore() -> break
                }
            }
            settle()
            if (isStopping || isOver) linger()
        } finally {
            lingering?.dispose()
        }
    }

    /** Nothing more is read; what was received so far is still answered. */
    fun stop() {
        isStopping = true
        if (isIdle) endOutput()
    }

    /**
     * Closes the connection if the client has begun to send a request, or to take a reply, but has not moved for [timeout] at
     * [nanos], or is between two requests for longer than [idleTimeout]; returns whether it did. To be asked several times in that time.
     * One that takes no reply is closed at the second time if there is no memory for others.
     */
    fun closeIfStalled(nanos: Long, timeout: Duration, idleTimeout: Duration?): Boolean {
        val outstanding = when {
            // As long as servers are asked, they may still be sent what stands in the client's buffer.
            underWay.isNotEmpty() -> 0

            !replies.isEmpty -> replies.remainingBytes

            else -> connection.input.remaining() + requests.bytesToSkip
        }
        // While memory is exhausted, who takes no reply is not waited for.
        val patience = if (replies.isFull && limit.isExhausted) Duration.ZERO else timeout
        val isStalled = stall.lastsFor(outstanding, nanos) > patience.inWholeNanoseconds
        val idleNanos = if (isIdle) nanos - maxOf(connectedNanos, connection.lastReadNanos, lastReplyNanos) else 0
        val isIdleForTooLong = idleTimeout != null && idleNanos > idleTimeout.inWholeNanoseconds
        if (isStalled || isIdleForTooLong) connection.close()
        return isStalled || isIdleForTooLong
    }

    override fun deliver(job: Job, reply: Reply) {
        job.reply = reply
        while (true) {
            val ready = underWay.firstOrNull()?.reply ?: break
            val next = underWay.removeFirst()
            lastReplyWasError = ready.isError
            isOver = isOver || ready.hangsUp
            replies.write(next, ready, isAlone = underWay.isEmpty())
        }
        goOn()
    }

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
        if (isOver || isStopping) return false
        try {
            return connection.fill() && !isStopping
        } catch (_: BuffersExhausted) {
            // No room for the whole value: it is read and dropped, as memcached does when it has none.
            val refused = requests.refuseData(connection.input)
            take(refused ?: Request.HangUp(connection.input.remaining(), OUT_OF_MEMORY))
            return true
        }
    }

    private suspend fun take(request: Request) {
        when (request) {
            is Request.HangUp -> {
                if (request.reply != null) recorder.refusedRequest()
                writeLine(request.reply)
                isOver = true
            }

            is Request.Refused -> {
                recorder.refusedRequest()
                writeLine(request.reply)
            }

            is Request.NoOperation -> writeLine("MN")

            else -> begin(request)
        }
        connection.consume(request.length)
        if ((request as? Request.Retrieval)?.continues == true && goesOn()) return
        number++
        firstByteNanos = 0
        stall.moved()
    }

    private suspend fun begin(request: Request) {
        if (depth > 1 && underWay.isNotEmpty() && !joins(request)) settle()
        // While memory is exhausted, each client has one reply at most that nobody waits for.
        while (underWay.size >= (if (limit.isExhausted) 1 else depth) || replies.isFull) await()
        if (replies.lost != null) settle()
        if (isOver) return
        val job = jobOf(request)
        if (depth > 1) mayJoin = keysUnderWay.add(request, connection.input)
        underWay.addLast(job)
        if (job.asksForAllStatistics) job.ownStatistics = ownStatistics()
        if (!enqueue(job)) {
            underWay.removeLast()
            recorder.refused()
            lastReplyWasError = true
            writeLine(if (request.wantsReply) QUEUE_FULL else null)
        }
    }

    private fun joins(request: Request): Boolean = mayJoin && keysUnderWay.allows(request, connection.input)

    /** Waits for the reply to one part of a long line; whether the next part follows, which it does unless this one has failed. */
    private suspend fun goesOn(): Boolean {
        settle()
        if (lastReplyWasError) connection.consume(requests.dropParts())
        return !lastReplyWasError
    }

    private fun jobOf(request: Request): Job {
        val times = JobTimes()
        times.firstByteNanos = firstByteNanos
        if (lastReplyNanos != 0L && underWay.isEmpty()) times.thinkNanos = firstByteNanos - lastReplyNanos
        // Keeps the request's place in the buffer, from which others are taken meanwhile.
        return Job(this, request, connection.input.duplicate(), times).also { it.number = number }
    }

    private fun enqueue(job: Job): Boolean {
        job.times.enqueuedNanos = recorder.now()
        val length = queue.enqueue(job)
        if (length >= 0) recorder.enqueued(job.times.enqueuedNanos, length)
        return length >= 0
    }

    /** Writes what the middleware answers by itself, once all that was asked before is answered. */
    private suspend fun writeLine(line: String?) {
        settle()
        if (line != null && !isOver) replies.writeLine(line)
    }

    /** Suspends until nothing is under way any more. Fails if the client is gone. */
    private suspend fun settle() {
        while (!isIdle) await()
        replies.lost?.let { throw it }
        mayJoin = true
        keysUnderWay.clear()
    }

    private suspend fun await() = if (replies.isFull) replies.awaitRoom() else waiting.await()

    /** Lets [serve] go on, if it waits and there is something to do. */
    private fun goOn() {
        if (replies.isFull || isIdle || underWay.size < depth) waiting.resume(Unit)
    }

    /** The client is gone. Replies that are still to come are dropped as they come: until then, servers may be sent their requests. */
    private fun undelivered(job: Job) {
        recorder.undelivered()
        job.release(loop.buffers)
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

    /**
     * Ends this side, and drops what still comes, for a while: without that, a reset would overtake replies that are on their way. What
     * was asked in it is counted.
     */
    private suspend fun linger() {
        endOutput()
        do {
            while (true) {
                val request = received() ?: break
                if (isStopping) lateRequests++
                val isUnderstood = request !is Request.HangUp
                connection.consume(
                    if (isUnderstood) request.length + requests.dropParts() else connection.input.remaining(),
                )
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
