package mwlab.middleware.database

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import mwlab.memcached.Request
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.backend.BackEndConnection
import mwlab.middleware.backend.Backoff
import mwlab.middleware.backend.FixedAnswer
import mwlab.middleware.job.Server
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * A worker's connection to one database that comes back when it is lost: one [DatabaseSession] after the other.
 *
 * One call at a time. Nothing is ever asked twice. Errors say what is known: after `refused` and `is not connected` nothing was done, after
 * `failed` nobody knows. Confined to the loop's thread; [run] owns the sessions.
 *
 * @param open opens a session on the loop, or fails with a [DatabaseException].
 * @param exchangeOf what the database is asked for a call.
 * @param onFailure is told of what should never happen; it ends one session, as other failures do.
 */
internal class DatabaseConnection(
    override val loop: EventLoop,
    private val server: Server,
    private val timeout: Duration,
    private val open: suspend (EventLoop) -> DatabaseSession,
    private val exchangeOf: (ServerCall) -> QueueExchange,
    private val onFailure: (Throwable) -> Unit,
    private val backoff: Backoff = Backoff(),
) : BackEndConnection {
    private var session: DatabaseSession? = null
    private var exchange: QueueExchange? = null
    private var downReason = "not tried yet"
    private var over = CompletableDeferred<Unit>()

    /** When the statement under way was sent, or the session was looked at the last time. */
    private var sinceNanos = 0L

    override val link = ServerLink(server.name)
    override val firstAttempt = CompletableDeferred<Unit>()

    @Suppress("TooGenericExceptionCaught") // the boundary of one connection: without it, it would never come back
    override suspend fun run() {
        while (true) {
            try {
                open(loop).use { serve(it) }
            } catch (down: DatabaseException) {
                end(down.message)
            } catch (cancelled: CancellationException) {
                throw cancelled
            } catch (failure: Throwable) {
                end("$failure")
                onFailure(failure)
            } finally {
                end(downReason)
                link.failed(downReason)
                firstAttempt.complete(Unit)
            }
            delay(backoff.next())
        }
    }

    override fun submit(call: ServerCall) {
        val request = call.job.request
        val nanos = loop.clock.nanos()
        when {
            request is Request.Inquiry -> {
                call.sent(nanos)
                FixedAnswer.to(request).giveTo(call, loop.buffers, nanos)
            }

            session == null -> call.fail(server.failure("is not connected: $downReason"), nanos)

            // Looked for before a message is taken, which could not be put back.
            request is Request.Retrieval && loop.buffers.limit.isExhausted ->
                call.fail("SERVER_ERROR out of memory for the reply of ${server.name}", nanos)

            else -> begin(call, nanos)
        }
    }

    override fun checkTimeout(nanos: Long) {
        val session = session ?: return
        if (exchange != null) {
            if (nanos - sinceNanos > timeout.inWholeNanoseconds) end("no answer within $timeout")
        } else if (nanos - sinceNanos > PROBE_INTERVAL.inWholeNanoseconds) {
            sinceNanos = nanos
            session.probe { if (it is Answer.Lost && session === this.session) end(it.reason) }
        }
    }

    private suspend fun serve(session: DatabaseSession) {
        over = CompletableDeferred()
        downReason = "closed"
        this.session = session
        link.connected()
        firstAttempt.complete(Unit)
        over.await()
    }

    private fun begin(call: ServerCall, nanos: Long) {
        val exchange = exchangeOf(call)
        this.exchange = exchange
        call.bytesOut = call.job.request.length
        call.sent(nanos)
        goOn(exchange)
    }

    private fun goOn(exchange: QueueExchange) {
        val statement = exchange.next() ?: return finish(exchange) { finish(loop.buffers, loop.clock.nanos()) }
        sinceNanos = loop.clock.nanos()
        session?.execute(statement) { if (exchange === this.exchange) answered(exchange, it) }
    }

    private fun answered(exchange: QueueExchange, answer: Answer) {
        when (answer) {
            is Answer.Lost -> return end(answer.reason)
            is Answer.Refused -> return finish(exchange) { failBecause("refused: ${answer.reason}") }
            is Answer.Row -> exchange.answered(answer)
            Answer.NoRow -> exchange.answered(null)
        }
        backoff.reset()
        goOn(exchange)
    }

    /** Ends [exchange] with [how]; the worker may send the next call within it. */
    private fun finish(exchange: QueueExchange, how: QueueExchange.() -> Unit) {
        this.exchange = null
        exchange.how()
    }

    private fun QueueExchange.failBecause(reason: String) =
        fail(server.failure(reason), loop.buffers, loop.clock.nanos())

    /** The session is over, for [reason]: so is the call under way. */
    private fun end(reason: String) {
        downReason = reason
        session?.close()
        session = null
        over.complete(Unit)
        exchange?.let { exchange -> finish(exchange) { failBecause("failed: $reason") } }
    }

    private companion object {
        /** A session that has nothing to do is looked at, so that no request has to find out that it is lost. */
        val PROBE_INTERVAL = 0.5.seconds
    }
}
