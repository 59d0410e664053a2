package mwlab.middleware.job

import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.SPACE
import mwlab.memcached.Status
import mwlab.memcached.Verb
import java.nio.ByteBuffer

/**
 * Why [reply], at the position of [bytes], cannot be the answer to [job], or to its [keys] if not null; null if it can.
 *
 * A server whose answer belongs to something else has lost count, and all its further answers would go to the wrong clients.
 */
internal fun objectionTo(reply: Response, bytes: ByteBuffer, job: Job, keys: IntArray?): String? {
    val request = job.request
    return when {
        !belongs(reply, request) -> "a reply to something else"
        reply is Response.Values && !holdsOnlyAsked(reply, bytes, job, keys) -> "a value nobody asked for"
        else -> null
    }
}

/** Whether the value that begins at absolute index [start] of [bytes] is that of the request's key number [key]. */
internal fun Job.isValueOf(key: Int, bytes: ByteBuffer, start: Int): Boolean {
    val length = keyLength(key)
    val end = start + VALUE_BYTES + length
    if (end >= bytes.limit() || bytes.get(end) != SPACE) return false
    for (index in 0 until length) if (keyByte(key, index) != bytes.get(start + VALUE_BYTES + index)) return false
    return true
}

private fun belongs(reply: Response, request: Request): Boolean = when (reply) {
    is Response.Failure -> true
    is Response.Values -> request.isPlainRead || (request.isStatistics && reply.hits == 0)
    is Response.Line -> reply.status in statusesOf(request)
    is Response.Meta -> reply.code in codesOf(request)
    is Response.Statistics -> request.isStatistics
}

/** A server leaves out the keys that it does not have, and tells the others in the order in which it was asked. */
private fun holdsOnlyAsked(reply: Response.Values, bytes: ByteBuffer, job: Job, keys: IntArray?): Boolean {
    val asked = keys?.size ?: job.keyCount
    var next = 0
    for (start in reply.starts) {
        while (next < asked && !job.isValueOf(keys?.get(next) ?: next, bytes, bytes.position() + start)) next++
        if (next++ == asked) return false
    }
    return true
}

private fun statusesOf(request: Request): List<Status> = when (request) {
    is Request.Update -> (if (request.refusal == null) request.verb else Verb.DELETE).statuses
    is Request.Inquiry -> request.verb.statuses
    else -> emptyList()
}

private fun codesOf(request: Request): Set<MetaCode> = when (request) {
    is Request.Update -> if (request.verb.isMeta) UPDATE_CODES else emptySet()
    is Request.Retrieval -> if (request.verb.isMeta) RETRIEVAL_CODES else emptySet()
    is Request.Inquiry -> if (request.verb == Verb.LRU_CRAWLER) NO_KEYS else emptySet()
    else -> emptySet()
}

private val Request.isPlainRead: Boolean get() = this is Request.Retrieval && !verb.isMeta

/** Statistics or a dump: many lines. */
private val Request.isStatistics: Boolean get() = this is Request.Inquiry && verb != Verb.VERSION

private const val VALUE_BYTES = "VALUE ".length
private val RETRIEVAL_CODES = setOf(MetaCode.HD, MetaCode.VA, MetaCode.EN, MetaCode.ME)
private val NO_KEYS = setOf(MetaCode.EN)
private val UPDATE_CODES = setOf(MetaCode.HD, MetaCode.VA, MetaCode.NF, MetaCode.NS, MetaCode.EX)
