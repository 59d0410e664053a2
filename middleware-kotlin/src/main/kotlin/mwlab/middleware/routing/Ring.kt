package mwlab.middleware.routing

import mwlab.net.text
import mwlab.options.Choice
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.security.MessageDigest

/** A consistent-hash ring: a key belongs to the first place at or behind its own, as [kind] has them. Immutable. */
internal class Ring(addresses: List<SocketAddress>, private val kind: RingKind = RingKind.MD5) {
    private val places: LongArray
    private val owners: IntArray

    val servers = addresses.size

    init {
        val nodes = addresses.flatMapIndexed { server, address -> kind.places(address).map { it to server } }
            .sortedWith(compareBy({ it.first }, { it.second }))
        places = LongArray(nodes.size) { nodes[it].first }
        owners = IntArray(nodes.size) { nodes[it].second }
    }

    /** The place of a key, from the MD5 of it. */
    fun placeOf(digest: ByteArray): Long = kind.place(digest)

    /** The first [count] different servers at or behind [place], nearest first. */
    fun ownersOf(place: Long, count: Int): List<Int> {
        val found = places.binarySearch(place)
        var index = if (found >= 0) firstOf(found) else -found - 1
        val servers = LinkedHashSet<Int>()
        while (servers.size < count) servers += owners[index++ % owners.size]
        return servers.toList()
    }

    /** Two servers may have the same place: the one named first has it. */
    private fun firstOf(index: Int): Int {
        var first = index
        while (first > 0 && places[first - 1] == places[index]) first--
        return first
    }

    companion object {
        fun md5(): MessageDigest = MessageDigest.getInstance("MD5")
    }
}

/** Where servers and keys stand on a ring; all by their MD5. [option] is the name on the command line. */
enum class RingKind(override val option: String) : Choice {
    /** 200 places of each server, the first 32 bits of the MD5 of `<host>:<port>-<number>`. */
    MD5("md5") {
        override fun places(address: SocketAddress): List<Long> {
            val digest = Ring.md5()
            return List(VIRTUAL_NODES) { place(digest.digest("${address.text}-$it".toByteArray())) }
        }

        override fun place(digest: ByteArray): Long = ByteBuffer.wrap(digest).getInt().toLong() and UNSIGNED
    },

    /** The places of libmemcached's weighted ketama with equal weights: 160 of each server, four from each MD5. */
    KETAMA("ketama") {
        override fun places(address: SocketAddress): List<Long> {
            val digest = Ring.md5()
            val name = (address as? InetSocketAddress)?.takeIf { it.port == DEFAULT_PORT }?.hostString ?: address.text
            return List(KETAMA_HASHES) { digest.digest("$name-$it".toByteArray()) }.flatMap { hash ->
                List(hash.size / Int.SIZE_BYTES) { littleEndian(hash, it * Int.SIZE_BYTES) }
            }
        }

        override fun place(digest: ByteArray): Long = littleEndian(digest, 0)
    }, ;

    internal abstract fun places(address: SocketAddress): List<Long>

    internal abstract fun place(digest: ByteArray): Long

    protected fun littleEndian(bytes: ByteArray, at: Int): Long =
        Integer.reverseBytes(ByteBuffer.wrap(bytes).getInt(at)).toLong() and UNSIGNED

    protected companion object {
        /** Places of each server; the more there are, the more alike are the servers' shares of the keys. */
        const val VIRTUAL_NODES = 200
        const val KETAMA_HASHES = 40

        /** Left out of the name by libmemcached. */
        const val DEFAULT_PORT = 11211
        const val UNSIGNED = 0xffffffffL
    }
}
