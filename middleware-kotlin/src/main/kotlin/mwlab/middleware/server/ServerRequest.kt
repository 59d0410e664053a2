package mwlab.middleware.server

import mwlab.memcached.CRLF_BYTES
import mwlab.memcached.Request
import mwlab.memcached.SPACE
import mwlab.memcached.Verb
import mwlab.middleware.job.Job
import mwlab.middleware.job.ServerCall
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

private val LINE_END = "\r\n".direct()

/** Words of `ms <key> <bytes>`. */
private const val MS_FLAGS = 3

/** Flags that keep `md` from removing, or from saying so. */
private val CONDITION = Regex("[Iq].*|[CT][0-9]+")
private val NO_OPERATION = "mn\r\n".direct()

/** The bytes to send to a server for [call]: pieces of the client's own request, uncopied, as a rule. Null: no memory for a copy. */
internal fun serverRequest(job: Job, call: ServerCall, pool: BufferPool): Array<ByteBuffer>? {
    val request = job.request
    return when {
        request is Request.Retrieval && call.keys != null -> partOf(job, call, call.keys, pool)
        request is Request.Retrieval && request.keys.isPart -> neighbours(job, request)
        request is Request.Update && request.refusal != null -> removal(job, request)
        request is Request.Update && request.noreply -> withoutNoreply(job, request)
        call.isQuiet -> arrayOf(job.slice(0, request.length), NO_OPERATION.duplicate())
        else -> arrayOf(job.slice(0, request.length))
    }
}

/** The command and the given [keys] of it, in one piece. */
private fun partOf(job: Job, call: ServerCall, keys: IntArray, pool: BufferPool): Array<ByteBuffer>? {
    val all = job.request.keys
    val command = all.startOfAll
    val bytes = call.requestBuffer(command + keys.sumOf { job.keyLength(it) + 1 } + CRLF_BYTES, pool) ?: return null
    bytes.put(job.slice(0, command))
    for (key in keys) bytes.put(job.slice(all.start(key), all.end(key))).put(SPACE)
    bytes.position(bytes.position() - 1)
    return arrayOf(bytes.put(LINE_END.duplicate()).flip())
}

/** The command and all keys of the request, which stand side by side in a longer line. */
private fun neighbours(job: Job, request: Request.Retrieval): Array<ByteBuffer> = with(request.keys) {
    arrayOf(job.slice(0, startOfAll), job.slice(start(0), end(count - 1)), LINE_END.duplicate())
}

/**
 * Removes the old value of a key whose new one is too large. The flags of `ms` go along, except for those with which `md` would
 * do something else: wrong ones are refused by the server, as they would have been with the value.
 */
private fun removal(job: Job, request: Request.Update): Array<ByteBuffer> {
    val key = job.slice(request.keys.start(0), request.keys.end(0))
    if (request.verb != Verb.MS) return arrayOf("delete ".direct(), key, LINE_END.duplicate())
    val flags = job.words().drop(MS_FLAGS).filterNot { CONDITION.matches(it) }
    return arrayOf("md ".direct(), key, flags.joinToString("") { " $it" }.direct(), LINE_END.duplicate())
}

/** Servers are always asked for a reply, or nobody would know when they are done; it is dropped before the client. */
private fun withoutNoreply(job: Job, request: Request.Update): Array<ByteBuffer> =
    arrayOf(job.slice(0, request.replyEnd), LINE_END.duplicate(), job.slice(request.lineLength, request.length))

private fun String.direct(): ByteBuffer = ByteBuffer.allocateDirect(length).put(toByteArray(Charsets.ISO_8859_1)).flip()
