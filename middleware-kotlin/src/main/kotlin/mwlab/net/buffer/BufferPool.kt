package mwlab.net.buffer

import java.nio.ByteBuffer

/**
 * Direct buffers of powers of two, reused last in, first out, so that the next one is still in the processor's cache.
 *
 * Who acquires a buffer owns it until handing it over or releasing it. At most [maxCachedBytes] lie idle. Confined to one [EventLoop].
 *
 * @property limit what buffers from [acquireCounted] take together with those of other pools.
 */
class BufferPool(val limit: BufferLimit = BufferLimit(), private val maxCachedBytes: Long = MAX_CACHED_BYTES) {
    private val idle = Array(Int.SIZE_BITS) { ArrayDeque<ByteBuffer>() }
    private var cachedBytes = 0L

    /** An empty buffer of at least [capacity] bytes, position 0 and limit at its capacity. */
    fun acquire(capacity: Int): ByteBuffer {
        val sizeClass = sizeClass(capacity)
        val buffer = idle[sizeClass].removeLastOrNull() ?: return ByteBuffer.allocateDirect(1 shl sizeClass)
        cachedBytes -= buffer.capacity()
        return buffer.clear()
    }

    /** Takes back a buffer that came from [acquire] of any pool; the caller must not touch it again. */
    fun release(buffer: ByteBuffer) {
        if (buffer.capacity() == 0 || cachedBytes + buffer.capacity() > maxCachedBytes) return
        cachedBytes += buffer.capacity()
        idle[sizeClass(buffer.capacity())].addLast(buffer)
    }

    /** As [acquire], but the buffer counts against the [limit] until [releaseCounted]; null if there is no memory for it. */
    fun acquireCounted(capacity: Int): ByteBuffer? {
        val bytes = 1 shl sizeClass(capacity)
        if (!limit.tryReserve(bytes)) return null
        return try {
            acquire(bytes)
        } catch (_: OutOfMemoryError) {
            limit.free(bytes)
            null
        }
    }

    /** As [release], for a buffer that counts against the [limit]. */
    fun releaseCounted(buffer: ByteBuffer) {
        if (buffer.capacity() == 0) return
        limit.free(buffer.capacity())
        release(buffer)
    }

    private fun sizeClass(capacity: Int): Int =
        maxOf(MIN_SIZE_CLASS, Int.SIZE_BITS - Integer.numberOfLeadingZeros(capacity - 1))

    companion object {
        private const val MIN_SIZE_CLASS = 10

        /** Enough for ten thousand usual connections: what is dropped waits for a collection of the old generation, hardly ever made. */
        private const val MAX_CACHED_BYTES = 128L shl 20

        /** Stands for "no buffer"; releasing it does nothing. */
        val EMPTY: ByteBuffer = ByteBuffer.allocateDirect(0)
    }
}
