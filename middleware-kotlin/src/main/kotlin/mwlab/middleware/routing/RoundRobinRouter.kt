package mwlab.middleware.routing

import mwlab.memcached.Request
import java.nio.ByteBuffer

/**
 * Reads go to the servers in turn, beginning at [start]; changes go to all [servers].
 *
 * [sharded], the keys of a multi-get are cut into one part for each server, in turn.
 */
internal class RoundRobinRouter(private val servers: Int, private val sharded: Boolean, start: Int) : Router {
    private var next = start % servers
    private val all = List(servers) { listOf(Part(it)) }
    private val everywhere = all.flatten()

    override val hasSingleOwners: Boolean = servers == 1

    override val copies: Int = servers

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        if (request.changesItems) return everywhere
        val keys = request.keys.count
        return if (sharded && keys > 1) shards(keys, List(minOf(keys, servers)) { turn() }) else all[turn()]
    }

    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part> =
        nextServer(part, servers, tried)

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> = everywhere

    private fun turn(): Int {
        val server = next
        next = (next + 1) % servers
        return server
    }
}
