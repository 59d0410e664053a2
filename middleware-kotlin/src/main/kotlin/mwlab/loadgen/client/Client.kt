package mwlab.loadgen.client

import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import mwlab.loadgen.measure.FollowedRequests
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Values
import mwlab.loadgen.request.Outcome
import mwlab.loadgen.workload.Workload
import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import mwlab.net.Connection
import mwlab.net.EventLoop
import java.io.EOFException
import java.io.IOException
import java.nio.ByteBuffer

/**
 * One virtual client: a connection, what it asks for, and when.
 *
 * Confined to the thread of its loop.
 *
 * @param requests how many to send; [Long.MAX_VALUE] when the clock ends the run
 * @param following where single requests are followed; null: nowhere
 */
internal class Client(
    private val dial: suspend () -> Connection,
    private val loop: EventLoop,
    private val options: Options,
    private val workload: Workload,
    private var requests: Long,
    private val following: FollowedRequests? = null,
) {
    private val reconnectInterval = options.target.reconnectInterval.takeIf { it > 0 } ?: Int.MAX_VALUE
    private val largestRequestBytes = Workload.largestRequestBytes(options)
    private val bufferBytes = maxOf(largestRequestBytes, BATCH_BYTES)
    private var opened: Connection? = null
    private val connection: Connection get() = checkNotNull(opened) { "the client is not connected" }
    private lateinit var pace: Pace
    private lateinit var recorder: ReplyRecorder
    private var followed: FollowedRequests.OnConnection? = null
    private var inFlight = InFlight(options.load.pipeline)
    private var isFinished = false

    /** Requests whose replies did not come before the run was over. */
    var unanswered = 0L
        private set

    /** Requests whose connection broke before the reply. */
    var lost = 0L
        private set

    /** Why this client ended before its time, or null. */
    var failure: Exception? = null
        private set

    /** Whether the connection has been opened. */
    val isConnected: Boolean get() = opened != null

    /** Opens the connection. @throws IOException if the server cannot be reached */
    suspend fun connect() {
        opened = dial().also { followed = following?.on(it) }
    }

    /** Sends on the connection that is open until the run is over, and returns when all replies are there; when cancelled, at once. */
    suspend fun run(pace: Pace, recorder: ReplyRecorder) {
        this.pace = pace
        this.recorder = recorder
        try {
            while (!isFinished) {
                val broken = tryExchange()
                if (broken != null) noteLoss(broken)
                if (broken != null && !options.target.reconnectOnError) {
                    failure = broken
                    break
                }
                if (!isFinished) reconnect()
            }
        } finally {
            opened?.close()
            pace.stop()
            unanswered += inFlight.size
            inFlight.forEach { recorder.unanswered(it, loop.clock.nanos()) }
        }
    }

    private fun noteLoss(broken: Exception) {
        recorder.connectionError(loop.clock.nanos(), broken)
        lost += inFlight.size
        inFlight = InFlight(options.load.pipeline)
    }

    private suspend fun tryExchange(): Exception? = try {
        exchange()
        null
    } catch (broken: IOException) {
        broken
    } catch (broken: ProtocolException) {
        broken
    }

    /** Requests and replies on one connection, until the run is over or it is time for a new connection. */
    private suspend fun exchange() = coroutineScope {
        val receiver = launch { receive() }
        send()
        inFlight.awaitEmpty()
        receiver.cancel()
    }

    private suspend fun send() {
        var untilReconnect = reconnectInterval
        while (untilReconnect > 0) {
            inFlight.awaitRoom()
            isFinished = requests == 0L || !pace.awaitTurn(inFlight.free)
            if (isFinished) return
            val batch = loop.buffers.acquire(bufferBytes)
            try {
                do {
                    append(batch)
                    untilReconnect--
                } while (untilReconnect > 0 && mayJoin(batch))
                connection.write(batch.flip())
            } finally {
                loop.buffers.release(batch)
            }
        }
        isFinished = requests == 0L
    }

    private fun append(batch: ByteBuffer) {
        val request = inFlight.free
        workload.next(request, batch)
        request.sentNanos = loop.clock.nanos()
        followed?.sent(request)
        inFlight.add()
        recorder.sent(request)
        requests--
    }

    /** Whether one more request fits into the same write without waiting. */
    private suspend fun mayJoin(batch: ByteBuffer): Boolean = requests > 0 && inFlight.hasRoom && !pace.mustWait &&
        batch.remaining() >= largestRequestBytes && pace.awaitTurn(inFlight.free)

    private suspend fun receive() {
        val reader = ResponseReader()
        while (true) {
            if (!connection.fill()) throw EOFException("connection dropped.")
            while (true) {
                if (inFlight.size > 0 && connection.input.hasRemaining()) {
                    inFlight.oldest.replyBegins(connection.lastReadNanos)
                }
                val response = reader.next(connection.input) ?: break
                accept(response)
                connection.consume(response.length)
            }
        }
    }

    private fun accept(response: Response) {
        if (inFlight.size == 0) throw ProtocolException("a reply that nobody asked for")
        val request = inFlight.oldest
        val now = connection.lastReadNanos
        request.lastByteNanos = now
        request.outcome = Outcome.of(request.operation, request.keys, response)
        if (request.outcome == Outcome.ERROR) {
            recorder.errorReply(request, errorLine(connection.input, response), now)
        } else {
            recorder.reply(request, hitsOf(response), response.length, now)
        }
        followed?.answered(request)
        inFlight.removeOldest()
    }

    /** Opens a new connection in place of the old one; gives up by ending the client. */
    private suspend fun reconnect() {
        opened?.close()
        var pauseMs = FIRST_PAUSE_MS
        var attempts = 0
        while (true) {
            try {
                return connect()
            } catch (refused: IOException) {
                recorder.connectionError(loop.clock.nanos(), refused)
                attempts++
                val most = options.target.maxReconnectAttempts
                if (!options.target.reconnectOnError || attempts == most) {
                    failure = refused
                    isFinished = true
                    return
                }
            }
            delay(pauseMs.toLong())
            pauseMs *= maxOf(options.target.reconnectBackoffFactor, 1.0)
        }
    }

    private companion object {
        const val BATCH_BYTES = 16 * 1024
        const val FIRST_PAUSE_MS = 100.0
    }
}
