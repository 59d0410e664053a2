package mwlab.middleware.routing

import mwlab.memcached.Keys
import mwlab.memcached.Request
import mwlab.memcached.hashOf
import java.nio.ByteBuffer

/**
 * Changes go to all [servers], so that each of them holds all keys; a read goes to the one that [firstServer] names.
 *
 * [sharded], the keys of a multi-get are cut into one part for each server, beginning with that server; sizes differ by one at most.
 */
internal class ReplicaRouter(
    private val servers: Int,
    private val sharded: Boolean,
    private val firstServer: FirstServer,
) : Router {
    private val each = List(servers) { listOf(Part(it)) }
    private val everywhere = each.flatten()

    override val copies: Int = servers

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        if (request.changesItems) return everywhere
        val keys = request.keys.count
        val parts = if (sharded) keys.coerceIn(1, servers) else 1
        val first = firstServer.of(request.keys, bytes, parts)
        if (parts == 1) return each[first]
        return List(parts) { part ->
            val from = keys * part / parts
            Part((first + part) % servers, IntArray(keys * (part + 1) / parts - from) { from + it })
        }
    }

    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part> =
        nextServer(part, servers, tried)

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> = everywhere
}

/** Chooses the server that a read of some keys, or the first of its parts, goes to. */
internal fun interface FirstServer {
    fun of(keys: Keys, bytes: ByteBuffer, parts: Int): Int

    companion object {
        /** The [servers] in turn, beginning at [start]; a request in several parts takes as many turns. */
        fun inTurn(servers: Int, start: Int): FirstServer {
            var next = start % servers
            return FirstServer { _, _, parts -> next.also { next = (next + parts) % servers } }
        }

        /** The one of [servers] that the hash of the key list names. */
        fun byHash(servers: Int) = FirstServer { keys, bytes, _ ->
            val start = bytes.position()
            serverOfHash(bytes, start + keys.start(0), start + keys.end(keys.count - 1), servers)
        }
    }
}

/** One of so many [servers], by the hash of what stands between two absolute indices; its low bits alone are poorly mixed. */
internal fun serverOfHash(bytes: ByteBuffer, start: Int, end: Int, servers: Int): Int {
    val hash = hashOf(bytes, start, end)
    return Integer.remainderUnsigned(hash xor (hash ushr 15), servers)
}
