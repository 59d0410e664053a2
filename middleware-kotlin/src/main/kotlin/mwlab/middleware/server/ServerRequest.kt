package mwlab.middleware.server

import mwlab.memcached.Request
import mwlab.memcached.Verb
import mwlab.middleware.job.Job
import mwlab.middleware.job.ServerCall
import java.nio.ByteBuffer

private val LINE_END = "\r\n".direct()
private val SPACE = " ".direct()

/** Words of `ms <key> <bytes>`. */
private const val MS_FLAGS = 3

/** Flags that keep `md` from removing, or from saying so. */
private val CONDITION = Regex("[Iq].*|[CT][0-9]+")
private val NO_OPERATION = "mn\r\n".direct()

/** The bytes to send to a server for [call]: pieces of the client's own request, so that no value is copied. */
internal fun serverRequest(job: Job, call: ServerCall): Array<ByteBuffer> {
    val request = job.request
    return when {
        request is Request.Retrieval && call.keys != null -> partOf(job, request, call.keys)
        request is Request.Update && request.refusal != null -> removal(job, request)
        request is Request.Update && request.noreply -> withoutNoreply(job, request)
        call.isQuiet -> arrayOf(job.slice(0, request.length), NO_OPERATION.duplicate())
        else -> arrayOf(job.slice(0, request.length))
    }
}

/** The command and the given keys; a run of neighbouring keys is one piece. */
private fun partOf(job: Job, request: Request.Retrieval, keys: IntArray): Array<ByteBuffer> {
    val pieces = mutableListOf(job.slice(0, request.keys.start(0)))
    var first = 0
    while (first < keys.size) {
        var last = first
        while (last + 1 < keys.size && keys[last + 1] == keys[last] + 1) last++
        pieces += job.slice(request.keys.start(keys[first]), request.keys.end(keys[last]))
        pieces += if (last + 1 < keys.size) SPACE.duplicate() else LINE_END.duplicate()
        first = last + 1
    }
    return pieces.toTypedArray()
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
