package mwlab.middleware.routing

import mwlab.memcached.Request
import java.nio.ByteBuffer

/** Reads go to the key's first server on the [ring], multi-gets in parts; changes go to [replicas] successive servers. */
internal class RingRouter(private val ring: Ring, private val replicas: Int) : Router {
    private val digest = Ring.md5()
    private val everywhere = List(ring.servers) { Part(it) }

    override val hasSingleOwners: Boolean = replicas == 1

    override val copies: Int = replicas

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        val keys = request.keys
        if (keys.count == 0) return everywhere.take(1)
        val byOwner = (0 until keys.count).groupBy {
            ownersOf(request.keys.start(it), request.keys.end(it), bytes, 1).first()
        }
        if (byOwner.size == 1) return listOf(everywhere[byOwner.keys.first()])
        return byOwner.map { (server, owned) -> Part(server, owned.toIntArray()) }
    }

    /** Keys that share their first server need not share the next one: the part may come apart. */
    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part> {
        val keys = part.keys?.asList() ?: (0 until request.keys.count).toList()
        val byOwner = keys.groupBy { key ->
            ownersOf(request.keys.start(key), request.keys.end(key), bytes, replicas).firstOrNull { it !in tried }
                ?: return emptyList()
        }
        if (byOwner.size == 1) return listOf(Part(byOwner.keys.first(), part.keys))
        return byOwner.map { (server, owned) -> Part(server, owned.toIntArray()) }
    }

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> = when (request.keys.count) {
        0 -> everywhere
        else -> ownersOf(request.keys.start(0), request.keys.end(0), bytes, replicas).map { everywhere[it] }
    }

    private fun ownersOf(start: Int, end: Int, bytes: ByteBuffer, count: Int): List<Int> {
        digest.update(bytes.slice(bytes.position() + start, end - start))
        return ring.ownersOf(ring.placeOf(digest.digest()), count)
    }
}
