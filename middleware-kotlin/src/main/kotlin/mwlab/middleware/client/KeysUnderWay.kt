package mwlab.middleware.client

import mwlab.memcached.Request
import mwlab.memcached.hashOf
import java.nio.ByteBuffer

/**
 * The keys of one client's requests under way, which decide whether a further request may join them: two workers may reach a server in
 * any order, so a key must not be changed while another request for it is under way. Not thread-safe.
 *
 * Keys are compared by a hash. If two keys have the same one, a request waits without need, and nothing else happens.
 */
internal class KeysUnderWay {
    private val read = Hashes()
    private val changed = Hashes()
    private var mayBeJoined = true

    /** Whether [request], at the position of [bytes], may be under way together with those that were added. */
    fun allows(request: Request, bytes: ByteBuffer): Boolean {
        if (!mayBeJoined || isAboutAll(request)) return false
        val isChange = changes(request)
        // To look through more would take longer than to wait for them.
        if (changed.count + (if (isChange) read.count else 0) > MOST_COMPARED) return false
        return (0 until request.keys.count).none { key ->
            val hash = hash(request, bytes, key)
            hash in changed || (isChange && hash in read)
        }
    }

    /** [request], at the position of [bytes], is under way. */
    fun add(request: Request, bytes: ByteBuffer) {
        if (isAboutAll(request)) mayBeJoined = false
        if (!mayBeJoined) return
        val hashes = if (changes(request)) changed else read
        for (key in 0 until request.keys.count) hashes.add(hash(request, bytes, key))
    }

    fun clear() {
        read.clear()
        changed.clear()
        mayBeJoined = true
    }

    /** Of a key in Base64 the key that it stands for is not known here. */
    private fun isAboutAll(request: Request): Boolean =
        request.keys.count == 0 || request.keys.areBase64 || (request as? Request.Retrieval)?.continues == true

    private fun changes(request: Request): Boolean = (request as? Request.Retrieval)?.changesItems != false

    private fun hash(request: Request, bytes: ByteBuffer, key: Int): Int =
        hashOf(bytes, bytes.position() + request.keys.start(key), bytes.position() + request.keys.end(key))

    private class Hashes {
        private var values = IntArray(INITIAL_SIZE)
        var count = 0
            private set

        operator fun contains(hash: Int): Boolean {
            for (index in 0 until count) if (values[index] == hash) return true
            return false
        }

        fun add(hash: Int) {
            if (count == values.size) values = values.copyOf(2 * count)
            values[count++] = hash
        }

        fun clear() {
            count = 0
            if (values.size > MOST_KEPT) values = IntArray(INITIAL_SIZE)
        }
    }

    private companion object {
        const val INITIAL_SIZE = 16
        const val MOST_KEPT = 1024
        const val MOST_COMPARED = 1024
    }
}
