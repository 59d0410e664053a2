package mwlab.middleware.reply

import mwlab.memcached.FailureKind
import mwlab.memcached.MetaCode
import mwlab.memcached.Request
import mwlab.memcached.Response
import mwlab.memcached.Status
import mwlab.memcached.Verb
import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.middleware.job.ServerCall
import mwlab.middleware.job.isValueOf
import java.nio.ByteBuffer

/** The version of this build, from the jar's manifest. */
internal val VERSION: String = Reply::class.java.`package`.implementationVersion ?: "development"

/**
 * The one reply to a job that its calls make together: the worst of them, or of values all in the order of the keys.
 *
 * A read that changes what it reads is answered by the first server of its key, which is the same for all clients: of several that want to
 * renew an item at the same time, exactly one wins.
 */
internal fun replyOf(job: Job): Reply {
    val request = job.request
    val calls = job.calls
    val only = calls.singleOrNull()
    if (only != null && request is Request.Retrieval) return relay(request, only)
    if (request is Request.Inquiry && request.verb == Verb.STATS) return statisticsOf(job, request)
    val worst = calls.maxBy(::badness)
    val isSuccess = badness(worst) == SUCCESS
    val isError = badness(worst) >= ERROR
    val refusal = (request as? Request.Update)?.refusal
    return when {
        !request.wantsReply -> Reply(emptyArray(), isError = isError)
        isSuccess && worst.isShutdown -> Reply(emptyArray(), hangsUp = true)
        isSuccess && worst.isDump -> dumpOf(job)
        isSuccess && request is Request.Retrieval && calls.first().keys != null -> merge(job, request, calls)
        isSuccess && request is Request.Retrieval -> relay(request, calls.first())
        refusal != null && !isError -> Reply.line(refusal, isError = true)
        else -> relay(request, worst)
    }
}

/** The servers' and the middleware's own; an error only if no server has anything else, and nothing own was asked for. */
private fun statisticsOf(job: Job, request: Request.Inquiry): Reply {
    val answers = job.calls.filter { it.failure == null }
    val statistics = answers.filter { it.reply is Response.Statistics || it.reply is Response.Values }
    if (statistics.isEmpty() && job.ownStatistics.isEmpty()) return relay(request, job.calls.maxBy(::badness))
    val group = job.words().getOrElse(1) { "" }
    val servers = ServerStatistics.merge(group, statistics.map { it.server.name to it.lines() })
    val own = job.ownStatistics.map { (name, value) -> "STAT $name $value" }
    val end = if (request.isQuiet) emptyList() else listOf("END")
    return Reply.line((servers + own + end).joinToString("\r\n"))
}

/** The lines of a call's reply without the `END`, if it has one. */
private fun ServerCall.lines(): List<String> =
    Charsets.ISO_8859_1.decode(bytes.duplicate()).trimEnd().split("\r\n") - "END"

/** The dumps of all servers, one behind the other, with one end. */
private fun dumpOf(job: Job): Reply {
    val end = if (job.words()[1] == "mgdump") "EN\r\n" else "END\r\n"
    val dumps = job.calls.filter { it.reply !is Response.Line }
    val pieces = dumps.map { it.slice(0, it.bytes.remaining() - end.length) }
    val begin = if (dumps.any { it.isDumpBegun }) "OK\r\n" else ""
    return Reply((listOf(begin.buffer()) + pieces + end.buffer()).toTypedArray())
}

private fun String.buffer(): ByteBuffer = ByteBuffer.wrap(toByteArray())

/** 0 for success, less if there was nothing to do; the higher, the more a client has to know of it. */
private fun badness(call: ServerCall): Int {
    val reply = call.reply
    return when {
        call.failure != null -> SERVER_FAILURE
        reply is Response.Failure -> ERROR + reply.kind.ordinal
        reply is Response.Line && reply.status == Status.NOTSTARTED -> NOTHING_TO_DO
        reply is Response.Line && !reply.status.isSuccess -> UNSUCCESS
        reply is Response.Meta && !reply.code.isSuccess -> UNSUCCESS
        else -> SUCCESS
    }
}

private fun relay(request: Request, call: ServerCall): Reply {
    val failure = call.failure
    val reply = call.reply
    val isVersion = request is Request.Inquiry && request.verb == Verb.VERSION
    val continues = request is Request.Retrieval && request.continues
    return when {
        failure != null -> if (isVersion) Reply.line("VERSION $VERSION") else Reply.line(failure, isError = true)
        reply is Response.Failure -> Reply(arrayOf(call.slice(reply.lineOffset, reply.length)), isError = true)
        reply is Response.Values && continues -> Reply(arrayOf(call.slice(0, reply.bodyLength)), reply.hits)
        reply is Response.Values -> Reply(arrayOf(call.bytes), reply.hits)
        reply is Response.Meta -> Reply(arrayOf(call.bytes), if (reply.code == MetaCode.EN) 0 else 1)
        else -> Reply(arrayOf(call.bytes))
    }
}

/** A server leaves keys out that it does not have, so each value is told by its key. */
private fun merge(job: Job, request: Request.Retrieval, calls: List<ServerCall>): Reply {
    val values = calls.map { it.reply as Response.Values }
    val taken = IntArray(calls.size)
    val pieces = mutableListOf<ByteBuffer>()
    val owner = IntArray(request.keys.count)
    for (index in calls.indices.reversed()) calls[index].keys?.forEach { owner[it] = index }
    for (key in owner.indices) {
        val call = calls[owner[key]]
        val found = values[owner[key]]
        val next = taken[owner[key]]
        if (next < found.hits && job.isValueOf(key, call.bytes, call.bytes.position() + found.starts[next])) {
            pieces += call.slice(found.starts[next], found.end(next))
            taken[owner[key]]++
        }
    }
    if (!request.continues) pieces += END.duplicate()
    return Reply(pieces.toTypedArray(), taken.sum())
}

private val END = ByteBuffer.allocateDirect(Response.END_LINE_BYTES).put("END\r\n".toByteArray()).flip()
private const val NOTHING_TO_DO = -1
private const val SUCCESS = 0
private const val UNSUCCESS = 1
private const val ERROR = 2
private val SERVER_FAILURE = ERROR + FailureKind.entries.size
