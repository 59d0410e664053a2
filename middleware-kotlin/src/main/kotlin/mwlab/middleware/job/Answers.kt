package mwlab.middleware.job

import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.memcached.Response
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

    is Response.Values -> (request is Request.Retrieval && !request.verb.isMeta) ||
        (request.isStatistics && reply.hits == 0)

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

private fun statusesOf(request: Request): Set<Status> = when (request) {
    is Request.Update -> STATUSES[if (request.refusal == null) request.verb else Verb.DELETE]
    is Request.Inquiry -> STATUSES[request.verb]
    else -> null
}.orEmpty()

private fun codesOf(request: Request): Set<MetaCode> = when (request) {
    is Request.Update -> if (request.verb.isMeta) UPDATE_CODES else emptySet()
    is Request.Retrieval -> if (request.verb.isMeta) RETRIEVAL_CODES else emptySet()
    is Request.Inquiry -> if (request.verb == Verb.LRU_CRAWLER) NO_KEYS else emptySet()
    else -> emptySet()
}

/** Statistics or a dump: many lines. */
private val Request.isStatistics: Boolean get() = this is Request.Inquiry && verb != Verb.VERSION

private const val VALUE_BYTES = "VALUE ".length
private const val SPACE = ' '.code.toByte()

private val STORING = setOf(Status.STORED, Status.NOT_STORED, Status.EXISTS, Status.NOT_FOUND)
private val COUNTING = setOf(Status.NUMBER, Status.NOT_FOUND)
private val STATUSES = mapOf(
    Verb.SET to STORING,
    Verb.ADD to STORING,
    Verb.REPLACE to STORING,
    Verb.APPEND to STORING,
    Verb.PREPEND to STORING,
    Verb.CAS to STORING,
    Verb.INCR to COUNTING,
    Verb.DECR to COUNTING,
    Verb.TOUCH to setOf(Status.TOUCHED, Status.NOT_FOUND),
    Verb.DELETE to setOf(Status.DELETED, Status.NOT_FOUND),
    Verb.FLUSH_ALL to setOf(Status.OK),
    Verb.VERBOSITY to setOf(Status.OK),
    Verb.VERSION to setOf(Status.VERSION),
    Verb.STATS to setOf(Status.OK, Status.RESET, Status.BUSY),
    Verb.SLABS to setOf(Status.OK, Status.BUSY, Status.BADCLASS, Status.NOSPARE, Status.SAME),
    Verb.LRU to setOf(Status.OK),
    Verb.LRU_CRAWLER to setOf(Status.OK, Status.BUSY, Status.BADCLASS, Status.NOTSTARTED),
    Verb.CACHE_MEMLIMIT to setOf(Status.OK, Status.MEMLIMIT_TOO_SMALL, Status.MEMLIMIT_ADJUST_FAILED),
    Verb.EXTSTORE to setOf(Status.OK),
    Verb.REFRESH_CERTS to setOf(Status.OK),
    Verb.DEBUGTIME to setOf(Status.OK),
    Verb.MISBEHAVE to setOf(Status.OK),
)
private val RETRIEVAL_CODES = setOf(MetaCode.HD, MetaCode.VA, MetaCode.EN, MetaCode.ME)
private val NO_KEYS = setOf(MetaCode.EN)
private val UPDATE_CODES = setOf(MetaCode.HD, MetaCode.VA, MetaCode.NF, MetaCode.NS, MetaCode.EX)
