package mwlab.middleware.routing

import mwlab.memcached.Request
import java.nio.ByteBuffer

/**
 * Reads go to the server that the hash of their key list names; changes go to all [servers].
 *
 * [sharded], the keys of a multi-get are cut into one part for each server, beginning with that server.
 */
internal class HashRouter(private val servers: Int, private val sharded: Boolean) : Router {
    private val everywhere = List(servers) { Part(it) }

    override val hasSingleOwners: Boolean = servers == 1

    override val copies: Int = servers

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        val keys = request.keys
        if (keys.count == 0) return everywhere.take(1)
        if (request.changesItems) return everywhere
        val start = bytes.position()
        val first = serverOfHash(bytes, start + keys.start(0), start + keys.end(keys.count - 1), servers)
        return if (sharded) shards(keys.count, List(servers) { (first + it) % servers }) else listOf(everywhere[first])
    }

    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part> =
        nextServer(part, servers, tried)

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> = everywhere
}

/**
 * One of so many [servers], by a hash of what stands between two absolute indices: FNV-1a, 32 bits, with the high bits folded in, since
 * its low bits alone are poorly mixed.
 */
internal fun serverOfHash(bytes: ByteBuffer, start: Int, end: Int, servers: Int): Int {
    var hash = FNV_OFFSET
    for (index in start until end) hash = (hash xor (bytes.get(index).toInt() and 0xff)) * FNV_PRIME
    return Integer.remainderUnsigned(hash xor (hash ushr 15), servers)
}

private const val FNV_OFFSET = -2128831035
private const val FNV_PRIME = 16777619
