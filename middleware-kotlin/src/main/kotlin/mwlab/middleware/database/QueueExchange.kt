package mwlab.middleware.database

import mwlab.memcached.CRLF_BYTES
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.Verb
import mwlab.memcached.text
import mwlab.middleware.backend.FixedAnswer
import mwlab.middleware.job.ServerCall
import mwlab.middleware.messages.QueueKey
import mwlab.middleware.messages.Storage
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/**
 * What a database is asked for one [call], statement by statement, and what its client hears.
 *
 * Each of several keys is a statement of its own, and done when it is answered. So what was found is told, whatever fails then; the
 * other keys are misses. So are those that are left when [mostBytes] of messages were found.
 */
internal class QueueExchange(private val call: ServerCall, private val locks: Locks, private val mostBytes: Int) {
    private class Value(val line: ByteArray, val body: ByteArray) {
        val bytes: Int get() = line.size + body.size + CRLF_BYTES
    }

    private val job = call.job
    private val request = job.request
    private val count = if (request is Request.Retrieval) call.keys?.size ?: job.keyCount else 1
    private val values = ArrayList<Value>(1)
    private var bytes = 0L
    private var answered = 0
    private var hasRow = false

    /** The next statement; null: there is none. */
    fun next(): Statement? = when {
        answered == count || bytes >= mostBytes -> null
        request is Request.Update -> update(request)
        else -> read()
    }

    /** The last statement was answered with [row]; null: with none. */
    fun answered(row: Answer.Row?) {
        hasRow = row != null
        if (request is Request.Retrieval && row != null) {
            val line = "VALUE ${text(key(), 0, key().limit())} ${row.flags} ${row.body.size}\r\n"
            values += Value(line.toByteArray(Charsets.ISO_8859_1), row.body)
            bytes += values.last().bytes
        }
        answered++
    }

    /** All is done: answers the call at [nanos]. */
    fun finish(pool: BufferPool, nanos: Long) = when {
        values.isNotEmpty() -> tellValues(pool, nanos)
        request is Request.Update -> answerTo(request.verb).giveTo(call, pool, nanos)
        else -> FixedAnswer.END.giveTo(call, pool, nanos)
    }

    /** The rest cannot be done, for the reason that [error] says: ends the call at [nanos]. */
    fun fail(error: String, pool: BufferPool, nanos: Long) =
        if (values.isEmpty()) call.fail(error, nanos) else tellValues(pool, nanos)

    private fun key(): ByteBuffer {
        val key = call.keys?.get(answered) ?: answered
        return job.slice(request.keys.start(key), request.keys.end(key))
    }

    private fun read(): Statement = when (val key = QueueKey.parse(key(), 0, key().limit())) {
        is QueueKey.Waiting -> Statement(QueueFunction.WAITING, key.receiver)

        is QueueKey.Messages ->
            Statement(if (key.isPeek) QueueFunction.PEEK else locks.take, key.queue, key.receiver, key.sender)

        null -> error("a key that should have been refused")
    }

    private fun update(request: Request.Update): Statement {
        val key = QueueKey.parse(key(), 0, key().limit()) as QueueKey.Messages
        return when (request.verb) {
            Verb.SET -> {
                val flags = Storage.of(request, job.bytes).flags
                Statement(QueueFunction.SEND, key.queue, key.receiver, key.sender.orEmpty(), flags, bodyOf(request))
            }

            Verb.ADD -> Statement(QueueFunction.ADD, key.queue)

            else -> Statement(QueueFunction.REMOVE, key.queue)
        }
    }

    /** A copy: if the call is given up, its client's buffer is used again while the statement may still be on its way. */
    private fun bodyOf(request: Request.Update): ByteArray {
        val data = job.slice(request.lineLength, request.length - CRLF_BYTES)
        return ByteArray(data.remaining()).also(data::get)
    }

    private fun answerTo(verb: Verb): FixedAnswer = when (verb) {
        Verb.SET -> FixedAnswer.STORED
        Verb.ADD -> if (hasRow) FixedAnswer.STORED else FixedAnswer.NOT_STORED
        else -> if (hasRow) FixedAnswer.DELETED else FixedAnswer.NOT_FOUND
    }

    /** Messages that were taken are told even if there is no room for them: they are nowhere else any more. */
    private fun tellValues(pool: BufferPool, nanos: Long) {
        val length = values.sumOf { it.bytes } + Response.END_LINE_BYTES
        val buffer = pool.acquire(length)
        pool.limit.reserve(buffer.capacity())
        val starts = IntArray(values.size)
        values.forEachIndexed { index, value ->
            starts[index] = buffer.position()
            buffer.put(value.line).put(value.body).put(LINE_END)
        }
        call.answer(Response.Values(length, starts), buffer.put(END).flip(), nanos)
    }

    private companion object {
        val LINE_END = "\r\n".toByteArray()
        val END = "END\r\n".toByteArray()
    }
}
