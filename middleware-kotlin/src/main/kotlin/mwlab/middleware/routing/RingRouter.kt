package mwlab.middleware.routing

import mwlab.memcached.Keys
import mwlab.memcached.Request
import java.nio.ByteBuffer
import java.util.Base64

/** Reads go to the key's first server on the [ring], multi-gets in parts; what changes anything goes to [replicas] successive servers. */
internal class RingRouter(private val ring: Ring, private val replicas: Int) : Router {
    private val digest = Ring.md5()
    private val everywhere = List(ring.servers) { Part(it) }

    override val copies: Int = replicas

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        val keys = request.keys
        if (keys.count == 0) return everywhere.take(1)
        if (!request.changesItems) return partsOf((0 until keys.count).groupBy { ownersOf(keys, it, bytes, 1).first() })
        val owners = List(keys.count) { ownersOf(keys, it, bytes, replicas) }
        return (0 until replicas).flatMap { copy -> partsOf(owners.indices.groupBy { owners[it][copy] }) }
    }

    private fun partsOf(byOwner: Map<Int, List<Int>>): List<Part> {
        if (byOwner.size == 1) return listOf(everywhere[byOwner.keys.first()])
        return byOwner.map { (server, owned) -> Part(server, owned.toIntArray()) }
    }

    /** Keys that share their first server need not share the next one: the part may come apart. */
    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>): List<Part> {
        val keys = part.keys?.asList() ?: (0 until request.keys.count).toList()
        val byOwner = keys.groupBy { key ->
            ownersOf(request.keys, key, bytes, replicas).firstOrNull { it !in tried } ?: return emptyList()
        }
        if (byOwner.size == 1) return listOf(Part(byOwner.keys.first(), part.keys))
        return byOwner.map { (server, owned) -> Part(server, owned.toIntArray()) }
    }

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> = when (request.keys.count) {
        0 -> everywhere
        else -> ownersOf(request.keys, 0, bytes, replicas).map { everywhere[it] }
    }

    private fun ownersOf(keys: Keys, index: Int, bytes: ByteBuffer, count: Int): List<Int> {
        val key = bytes.slice(bytes.position() + keys.start(index), keys.end(index) - keys.start(index))
        digest.update(if (keys.areBase64) decoded(key) else key)
        return ring.ownersOf(ring.placeOf(digest.digest()), count)
    }

    /** What is no base64 is left as it is: the server will say so. */
    private fun decoded(key: ByteBuffer): ByteBuffer = try {
        Base64.getDecoder().decode(key.duplicate())
    } catch (_: IllegalArgumentException) {
        key
    }
}
