package mwlab.net.buffer

import java.nio.ByteBuffer

/** What is received and not consumed, in one buffer of [pool], which counts against the pool's limit beyond [usualBytes]. */
internal class Input(private val pool: BufferPool, private val usualBytes: Int) {
    /** Between position and limit; another buffer after [append], [keep], [take] and [release]. */
    var bytes: ByteBuffer = BufferPool.EMPTY
        private set

    fun consume(length: Int) {
        bytes.position(bytes.position() + length)
    }

    /** As [Connection.keep]. */
    fun keep(length: Int) {
        bytes.limit(bytes.position() + length)
        shrink()
    }

    /** As [Connection.take]. */
    fun take(length: Int): ByteBuffer {
        if (length == bytes.remaining() && length > SMALL_BYTES && length >= bytes.capacity() / MOST_WASTE) {
            return bytes.also { forget() }
        }
        val copy = pool.acquire(length)
        copy.put(bytes.slice(bytes.position(), length)).flip()
        consume(length)
        return copy
    }

    /** Has [read] put bytes behind those that are there, into room for at least one more; fails with [BuffersExhausted]. */
    inline fun <T> append(read: (ByteBuffer) -> T): T {
        val before = makeRoom()
        try {
            return read(bytes)
        } finally {
            bytes.limit(bytes.position()).position(before)
        }
    }

    /** Gives back the room that the bytes do not need: all of it if there are none. */
    fun shrink() {
        if (!bytes.hasRemaining()) return release()
        if (bytes.capacity() <= usualBytes || bytes.remaining() >= usualBytes) return
        replaceBy(pool.acquire(usualBytes))
        bytes.flip()
    }

    /** Drops all, and the buffer. */
    fun release() {
        pool.release(bytes)
        forget()
    }

    /** Prepares the buffer to be read into, behind its bytes; returns where these begin. */
    private fun makeRoom(): Int {
        val start = bytes.position()
        when {
            bytes.limit() < bytes.capacity() -> {
                bytes.position(bytes.limit()).limit(bytes.capacity())
                return start
            }

            bytes.capacity() == 0 -> bytes = pool.acquire(usualBytes)

            start == 0 -> grow()

            else -> bytes.compact()
        }
        return 0
    }

    private fun grow() {
        if (bytes.capacity() >= MAX_BYTES) throw BuffersExhausted()
        replaceBy(pool.acquireCounted(2 * bytes.capacity()) ?: throw BuffersExhausted())
    }

    /** Moves the bytes to the begin of [other], which is then positioned behind them. */
    private fun replaceBy(other: ByteBuffer) {
        other.put(bytes)
        release()
        bytes = other
    }

    private fun forget() {
        if (bytes.capacity() > usualBytes) pool.limit.free(bytes.capacity())
        bytes = BufferPool.EMPTY
    }

    private companion object {
        const val SMALL_BYTES = 1024
        const val MOST_WASTE = 4
        const val MAX_BYTES = 1 shl 29
    }
}
