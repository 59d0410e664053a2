package mwlab.middleware.job

import mwlab.memcached.Keys
import mwlab.memcached.Request
import mwlab.memcached.Verb
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.RequestType
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/**
 * A request on its way through the middleware.
 *
 * It belongs to the client's coroutine until it is queued, to one worker until its reply is delivered, and then to the client
 * again. [bytes] are the client's own buffer, which does not move as long as the job is under way, with the request at their position.
 */
internal class Job(val client: Client, val request: Request, val bytes: ByteBuffer, val times: JobTimes) {
    private val keys: Keys = request.keys

    /** What it is counted as, see [RequestType]. */
    val type: Int = typeOf(request)

    val keyCount: Int get() = keys.count

    /** Its number among the requests of its client, from 0. */
    var number = 0L

    var worker = 0

    /** What its client is to get, once that is known. */
    var reply: Reply? = null

    /** What the servers are asked; they own the reply's bytes until [release]. */
    var calls: List<ServerCall> = emptyList()

    /** Those of them that were made last. */
    var latestCalls: List<ServerCall> = emptyList()

    /** Calls that are neither answered nor have failed. */
    var pendingCalls = 0

    /** Runs on the loop of the calls when the last of the [pendingCalls] is done. */
    lateinit var onAnswered: (Job) -> Unit

    /** Whether it is `stats` without an argument. */
    val asksForAllStatistics: Boolean
        get() = request is Request.Inquiry && request.verb == Verb.STATS && words().size == 1

    /** Servers that have failed it, if it can be answered by others. */
    var triedServers: Set<Int> = emptySet()

    /** When all attempts together have taken long enough, on the loops' clock; set by the first one. */
    var deadlineNanos = 0L

    /** What the middleware says of itself, if it is asked. */
    var ownStatistics: List<Pair<String, Any?>> = emptyList()

    private val origin = bytes.position()

    /** A view of the request's bytes from [start] to [end]. */
    fun slice(start: Int, end: Int): ByteBuffer = bytes.slice(origin + start, end - start)

    /** Length of key number [key] in bytes. */
    fun keyLength(key: Int): Int = keys.end(key) - keys.start(key)

    /** The byte at [index] of key number [key]. */
    fun keyByte(key: Int, index: Int): Byte = bytes.get(origin + keys.start(key) + index)

    /** The words of the command line; for rare commands. */
    fun words(): List<String> =
        Charsets.ISO_8859_1.decode(slice(0, request.length)).trim().split(' ').filter(String::isNotEmpty)

    /** One of the [pendingCalls] is done. */
    fun oneDone() {
        if (--pendingCalls == 0) onAnswered(this)
    }

    /** Gives the replies' buffers to [pool]; the reply must have been written, or be given up. */
    fun release(pool: BufferPool) {
        for (index in calls.indices) calls[index].release(pool)
    }

    private companion object {
        val COMMANDS = IntArray(Verb.entries.size) { typeOf(Verb.entries[it]) }

        fun typeOf(verb: Verb): Int = RequestType.ofCommand(if (verb.isAdmin) RequestType.ADMIN else verb.text)

        fun typeOf(request: Request): Int = when (request) {
            is Request.Retrieval if !request.verb.isMeta -> RequestType.ofGet(request.keys.count)
            is Request.Retrieval -> COMMANDS[request.verb.ordinal]
            is Request.Update -> COMMANDS[request.verb.ordinal]
            is Request.Inquiry -> COMMANDS[request.verb.ordinal]
            else -> throw IllegalArgumentException("${request::class.simpleName} needs no server")
        }
    }
}
