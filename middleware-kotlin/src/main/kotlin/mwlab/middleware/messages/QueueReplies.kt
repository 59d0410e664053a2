package mwlab.middleware.messages

import mwlab.memcached.CRLF_BYTES
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.indexOfLineFeed
import mwlab.memcached.text
import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.middleware.job.ServerCall
import mwlab.middleware.job.isValueOf
import mwlab.middleware.reply.replyOf
import java.nio.ByteBuffer

/**
 * As [replyOf], but what several databases have found for one get is told even if others of them failed: messages that were taken
 * are nowhere else any more.
 */
internal fun queueReplyTo(job: Job): Reply {
    val request = job.request
    val found = job.calls.filter { (it.reply as? Response.Values)?.hits in 1..Int.MAX_VALUE }
    val isForSeveral = request is Request.Retrieval && job.calls.size > 1
    return if (isForSeveral && found.isNotEmpty()) merged(job, found.map(::Found)) else replyOf(job)
}

/** The values of one call, which are in the order of its keys. */
private class Found(val call: ServerCall) {
    private val values = call.reply as Response.Values
    private var next = 0

    /** The value of the request's key number [key], if that is the next one. */
    fun take(key: Int): ByteBuffer? {
        if (next == values.hits) return null
        val start = values.starts[next]
        if (!call.job.isValueOf(key, call.bytes, call.bytes.position() + start)) return null
        return call.slice(start, values.end(next++))
    }
}

private fun merged(job: Job, found: List<Found>): Reply {
    val pieces = mutableListOf<ByteBuffer>()
    for (key in 0 until job.keyCount) {
        val values = found.mapNotNull { it.take(key) }
        if (values.isNotEmpty()) pieces += values.singleOrNull() ?: namesOf(values)
    }
    return Reply((pieces + latin1("END\r\n")).toTypedArray(), hits = pieces.size)
}

/** Lists of names that several databases have found for one key, as one. */
private fun namesOf(values: List<ByteBuffer>): ByteBuffer {
    val line = text(values.first(), 0, indexOfLineFeed(values.first(), 0)).trimEnd()
    val names = values.flatMap { text(it, indexOfLineFeed(it, 0) + 1, it.limit() - CRLF_BYTES).split('\n') }.sorted()
    val list = names.joinToString("\n")
    return latin1("${line.substringBeforeLast(' ')} ${list.length}\r\n$list\r\n")
}

private fun latin1(text: String): ByteBuffer = ByteBuffer.wrap(text.toByteArray(Charsets.ISO_8859_1))
