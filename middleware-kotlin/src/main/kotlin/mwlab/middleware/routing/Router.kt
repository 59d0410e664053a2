package mwlab.middleware.routing

import mwlab.memcached.Request
import mwlab.options.Choice
import java.nio.ByteBuffer

/** How the servers of a request are chosen. */
enum class Routing(override val option: String) : Choice {
    ROUND_ROBIN("round-robin"),
    HASH("hash"),
    CONSISTENT_HASH("consistent-hash"),
}

/** The share of one server in a request: which of the keys, by their index; null: the request as it is. */
internal class Part(val server: Int, val keys: IntArray? = null)

/** Decides which servers get what, for one worker. But for the round-robin turn, what it answers depends on the request alone. */
internal interface Router {
    /**
     * The servers asked for the keys of a read that begins at the position of [bytes]. Of a read that changes nothing, several parts hold
     * different keys; one that changes what it reads goes to all servers of its keys, and the first part with a key answers for it.
     */
    fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part>

    /** How many servers hold each key: any of them can be asked. With one only, the `cas` uniques of that server can be honoured. */
    val copies: Int

    /** Where the keys of [part] can be read as well, apart from the servers [tried]; empty: nowhere. */
    fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part>

    /** The servers that a change goes to: all of them must make it. */
    fun update(request: Request.Update, bytes: ByteBuffer): List<Part>
}

/** The same share of the next server that is not among those [tried], where all [servers] hold all keys. */
internal fun nextServer(part: Part, servers: Int, tried: Set<Int>): List<Part> =
    (1..servers).map { (part.server + it) % servers }.filter { it !in tried }.take(1).map { Part(it, part.keys) }
