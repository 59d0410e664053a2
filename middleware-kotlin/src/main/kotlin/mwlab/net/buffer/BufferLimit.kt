package mwlab.net.buffer

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

/** How many bytes buffers may take of which peers decide the number or size: who holds them reserves before. Thread-safe. */
class BufferLimit(val maxBytes: Long = Long.MAX_VALUE) {
    private val reserved = AtomicLong()

    val reservedBytes: Long get() = reserved.get()

    /** Nothing more is allowed now. */
    val isExhausted: Boolean get() = reservedBytes >= maxBytes

    /** Whether [bytes] more are allowed, which then count. Small buffers may take a quarter more, so that large ones leave them room. */
    fun tryReserve(bytes: Int): Boolean {
        val extra = if (bytes <= SMALL_BYTES) maxBytes / EXTRA_SHARE else 0
        if (reserved.addAndGet(bytes.toLong()) - extra <= maxBytes) return true
        free(bytes)
        return false
    }

    /** Lets [bytes] more count, allowed or not: for what cannot be given up. */
    fun reserve(bytes: Int) {
        reserved.addAndGet(bytes.toLong())
    }

    fun free(bytes: Int) {
        reserved.addAndGet(-bytes.toLong())
    }

    private companion object {
        const val SMALL_BYTES = 16 * 1024
        const val EXTRA_SHARE = 4
    }
}

/** There is no memory for a large message now. Nothing is lost: what was received so far can be used or given up. */
class BuffersExhausted : IOException("out of buffer memory")
