package mwlab.middleware

import java.nio.ByteBuffer
import java.security.MessageDigest

/**
 * A consistent-hash ring: each of the servers [names] stands at [VIRTUAL_NODES] places, given by the first 32 bits of the MD5 of
 * `<name>-<number>`; a key belongs to the first place at or behind its own. Immutable.
 */
internal class Ring(names: List<String>) {
    private val places: LongArray
    private val owners: IntArray

    /** How many servers there are. */
    val servers = names.size

    init {
        val digest = md5()
        val nodes = names.flatMapIndexed { server, name ->
            List(VIRTUAL_NODES) { place(digest.digest("$name-$it".toByteArray())) to server }
        }.sortedWith(compareBy({ it.first }, { it.second }))
        places = LongArray(nodes.size) { nodes[it].first }
        owners = IntArray(nodes.size) { nodes[it].second }
    }

    /** The first [count] different servers at or behind [place], nearest first. */
    fun ownersOf(place: Long, count: Int): List<Int> {
        val found = places.binarySearch(place)
        var index = if (found >= 0) found else -found - 1
        val servers = LinkedHashSet<Int>()
        while (servers.size < count) servers += owners[index++ % owners.size]
        return servers.toList()
    }

    companion object {
        /** Places of each server; the more there are, the more alike are the servers' shares of the keys. */
        const val VIRTUAL_NODES = 200

        fun md5(): MessageDigest = MessageDigest.getInstance("MD5")

        fun place(hash: ByteArray): Long = ByteBuffer.wrap(hash).getInt().toLong() and 0xffffffffL
    }
}
