package mwlab.middleware.server

import mwlab.net.NanoClock
import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/**
 * What is to be written to a server, in order, with the calls ([C]) that it belongs to. Not thread-safe.
 *
 * Small requests are gathered in one buffer, which costs less than naming each of them to the system; large ones, and those that come
 * while the socket is full, stand in their clients' buffers.
 *
 * @param onSent runs for each call whose last byte is written, with the time of that.
 */
internal class Outbox<C>(
    private val pool: BufferPool,
    private val clock: NanoClock,
    private val onSent: (call: C, nanos: Long) -> Unit,
) {
    /** A request in [batch], and where it ends there. */
    private class Gathered<C>(val call: C, val end: Int)

    private class Entry<C>(val call: C, val buffers: Array<ByteBuffer>)

    /** What stands in [batch], and then what comes behind it. */
    private val gathered = ArrayDeque<Gathered<C>>()
    private val entries = ArrayDeque<Entry<C>>()

    /** Being filled until it is first given away, then being emptied. */
    private var batch = BufferPool.EMPTY
    private var isGathering = true

    val isEmpty: Boolean get() = gathered.isEmpty() && entries.isEmpty()

    /** It is time to write what was gathered. */
    val isFull: Boolean get() = isGathering && gathered.isNotEmpty() && batch.remaining() < MAX_COPIED_BYTES

    /** Adds [buffers], which hold [bytes], for [call]. */
    fun add(call: C, buffers: Array<ByteBuffer>, bytes: Int) {
        if (isGathering && entries.isEmpty() && bytes <= MAX_COPIED_BYTES) {
            if (gathered.isEmpty()) batch = pool.acquire(BATCH_BYTES)
            buffers.forEach(batch::put)
            gathered.addLast(Gathered(call, batch.position()))
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

    /** A server answers what it has got whole, though more of the batch is still to come: each call is told as it is out. */
    private fun removeWritten(nanos: Long) {
        while (gathered.isNotEmpty() && gathered.first().end <= batch.position()) {
            onSent(gathered.removeFirst().call, nanos)
        }
        if (batch.hasRemaining()) return
        endBatch()
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
