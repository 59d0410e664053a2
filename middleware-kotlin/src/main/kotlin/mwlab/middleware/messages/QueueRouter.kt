package mwlab.middleware.messages

import mwlab.memcached.Request
import mwlab.memcached.startsWith
import mwlab.middleware.routing.Part
import mwlab.middleware.routing.Router
import mwlab.middleware.routing.serverOfHash
import java.nio.ByteBuffer

/** A queue is on the one of [databases] that the hash of its name says; which queues have messages, all of them are asked. */
internal class QueueRouter(private val databases: Int) : Router {
    override val copies = 1

    private val each = List(databases) { listOf(Part(it)) }
    private val everywhere = each.flatten()

    override fun retrieval(request: Request.Retrieval, bytes: ByteBuffer): List<Part> {
        val keys = request.keys.count
        if (databases == 1) return everywhere
        if (keys == 1) return databaseOf(request, bytes, 0)?.let(each::get) ?: everywhere
        val owners = List(keys) { databaseOf(request, bytes, it) }
        return everywhere.indices.mapNotNull { database ->
            val owned = owners.indices.filter { (owners[it] ?: database) == database }
            if (owned.isEmpty()) null else Part(database, owned.toIntArray())
        }
    }

    override fun alternatives(request: Request.Retrieval, bytes: ByteBuffer, part: Part, tried: Set<Int>) =
        emptyList<Part>()

    override fun update(request: Request.Update, bytes: ByteBuffer): List<Part> =
        each[databaseOf(request, bytes, 0) ?: 0]

    /** Null: all of them. */
    private fun databaseOf(request: Request, bytes: ByteBuffer, key: Int): Int? {
        val start = bytes.position() + request.keys.start(key)
        val end = bytes.position() + request.keys.end(key)
        if (startsWith(bytes, start, end, "*/waiting")) return null
        var endOfName = start
        while (endOfName < end && bytes.get(endOfName) != SLASH) endOfName++
        return serverOfHash(bytes, start, endOfName, databases)
    }

    private companion object {
        const val SLASH = '/'.code.toByte()
    }
}
