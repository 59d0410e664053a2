package mwlab.middleware.server

import mwlab.net.BufferPool
import mwlab.net.NanoClock
import java.nio.ByteBuffer

/**
 * What is to be written to a server, in order, with the calls that wait for it. Not thread-safe.
 *
 * Small requests are gathered in one buffer, which costs less than naming each of them to the system; large ones, and those that come
 * while the socket is full, stand in their clients' buffers.
 *
 * @param onSent runs for each call whose last byte is written, with the time of that.
 */
internal class Outbox(
    private val pool: BufferPool,
    private val clock: NanoClock,
    private val onSent: (call: ServerCall, nanos: Long) -> Unit,
) {
    private class Entry(val call: ServerCall, val buffers: Array<ByteBuffer>)

    /** The calls in [batch], and then those behind it. */
    private val gathered = ArrayDeque<ServerCall>()
    private val entries = ArrayDeque<Entry>()

    /** Being filled until it is first given away, then being emptied. */
    private var batch = BufferPool.EMPTY
    private var isGathering = true

    val isEmpty: Boolean get() = gathered.isEmpty() && entries.isEmpty()

    /** It is time to write what was gathered. */
    val isFull: Boolean get() = isGathering && gathered.isNotEmpty() && batch.remaining() < MAX_COPIED_BYTES

    fun add(call: ServerCall, buffers: Array<ByteBuffer>) {
        if (isGathering && entries.isEmpty() && call.bytesOut <= MAX_COPIED_BYTES) {
            if (gathered.isEmpty()) batch = pool.acquire(BATCH_BYTES)
            buffers.forEach(batch::put)
            gathered.addLast(call)
        } else {
            entries.addLast(Entry(call, buffers))
        }
    }

    /** Gives what is in it to [tryWrite], which says whether it took all; false once it did not. */
    inline fun write(tryWrite: (Array<ByteBuffer>) -> Boolean): Boolean {
        while (!isEmpty) {
            val hasTakenAll = tryWrite(nextBuffers())
            removeWritten(clock.nanos())
            if (!hasTakenAll) return false
        }
        return true
    }

    fun clear() {
        entries.clear()
        gathered.clear()
        endBatch()
    }

    private fun nextBuffers(): Array<ByteBuffer> {
        if (isGathering) batch.flip()
        isGathering = false
        if (entries.isEmpty()) return arrayOf(batch)
        val buffers = ArrayList<ByteBuffer>()
        if (batch.hasRemaining()) buffers.add(batch)
        for (entry in entries) {
            if (buffers.size + entry.buffers.size > MAX_BUFFERS && buffers.isNotEmpty()) break
            buffers.addAll(entry.buffers)
        }
        return buffers.toTypedArray()
    }

    private fun removeWritten(nanos: Long) {
        if (batch.hasRemaining()) return
        endBatch()
        // Who hears that it is out may send the next one at once.
        val sent = gathered.toList()
        gathered.clear()
        sent.forEach { onSent(it, nanos) }
        while (entries.firstOrNull()?.buffers?.none { it.hasRemaining() } == true) {
            onSent(entries.removeFirst().call, nanos)
        }
    }

    private fun endBatch() {
        pool.release(batch)
        batch = BufferPool.EMPTY
        isGathering = true
    }

    companion object {
        /** Size of the buffer in which small requests are gathered. */
        const val BATCH_BYTES = 64 * 1024

        /** Larger requests are not copied. */
        private const val MAX_COPIED_BYTES = 8 * 1024

        /** Buffers in one system call; Linux takes 1024. */
        private const val MAX_BUFFERS = 1024
    }
}
