package mwlab.middleware

import mwlab.memcached.Request

/** The share of one server in a request: which of the keys, by their index; null: the request as it is. */
internal class Part(val server: Int, val keys: IntArray? = null)

/**
 * Decides which servers get what. Pure but for the round-robin turn; one router per worker, so that none is shared.
 */
internal interface Router {
    /** Whether each key has one server only, so that the `cas` uniques of that server can be honoured. */
    val hasSingleOwners: Boolean

    /** The servers that are asked for the keys of a read, and for which; several parts hold different keys. */
    fun retrieval(request: Request.Retrieval): List<Part>

    /** The servers that a change goes to: all of them must make it. */
    fun update(request: Request.Update): List<Part>
}

/**
 * Reads go to the servers in turn, beginning at [start]; changes go to all [servers].
 *
 * [sharded], the keys of a multi-get are cut into one contiguous part for each server, in turn; sizes differ by one at most.
 */
internal class RoundRobinRouter(private val servers: Int, private val sharded: Boolean, start: Int) : Router {
    private var next = start % servers
    private val all = List(servers) { Part(it) }

    override val hasSingleOwners: Boolean = servers == 1

    override fun retrieval(request: Request.Retrieval): List<Part> {
        val keys = request.keys.count
        val parts = if (sharded) minOf(keys, servers) else 1
        return if (parts <= 1) listOf(all[turn()]) else List(parts) { Part(turn(), share(keys, it, parts)) }
    }

    override fun update(request: Request.Update): List<Part> = all

    private fun turn(): Int {
        val server = next
        next = (next + 1) % servers
        return server
    }

    private fun share(keys: Int, part: Int, parts: Int): IntArray {
        val from = keys * part / parts
        return IntArray(keys * (part + 1) / parts - from) { from + it }
    }
}
