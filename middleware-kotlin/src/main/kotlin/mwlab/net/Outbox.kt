package mwlab.net

import mwlab.net.buffer.BufferPool
import java.nio.ByteBuffer

/**
 * Messages that are to be written to one peer, in order, with the owner ([O]) of each. Not thread-safe.
 *
 * Small messages are gathered in one buffer, which costs less than naming each of them to the system; large ones, those that come
 * while the socket is full, and all while there is no memory for that buffer stay in their owners' buffers.
 *
 * @param onSent runs for each message whose last byte is written, with the time of that.
 */
internal class Outbox<O>(
    private val pool: BufferPool,
    private val clock: NanoClock,
    private val onSent: (owner: O, nanos: Long) -> Unit,
) {
    /** A message in [batch], and where it ends there. */
    private class Gathered<O>(val owner: O, val end: Int)

    private class Entry<O>(val owner: O, val buffers: Array<ByteBuffer>)

    /** What stands in [batch], and then what comes behind it. */
    private val gathered = ArrayDeque<Gathered<O>>()
    private val entries = ArrayDeque<Entry<O>>()

    /** Being filled until it is first given away, then being emptied. */
    private var batch = BufferPool.EMPTY
    private var isGathering = true

    val isEmpty: Boolean get() = gathered.isEmpty() && entries.isEmpty()

    val size: Int get() = gathered.size + entries.size

    val remainingBytes: Long
        get() = (if (isGathering) batch.position() else batch.remaining()) +
            entries.sumOf { entry -> entry.buffers.sumOf { it.remaining().toLong() } }

    /** It is time to write what was gathered: what comes now may find no room there. */
    val isFull: Boolean get() = isGathering && gathered.isNotEmpty() && batch.remaining() < MAX_COPIED_BYTES

    /** Adds the message in [buffers], which hold [bytes], for [owner]; whether it was copied, so that [buffers] may be used again. */
    fun add(owner: O, buffers: Array<ByteBuffer>, bytes: Int): Boolean {
        if (!hasRoomFor(bytes)) return false.also { keep(owner, buffers) }
        buffers.forEach(batch::put)
        gathered.addLast(Gathered(owner, batch.position()))
        return true
    }

    /** As [add], without a copy: for a message that cannot be written now. */
    fun keep(owner: O, buffers: Array<ByteBuffer>) {
        entries.addLast(Entry(owner, buffers))
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

    fun forEachOwner(action: (O) -> Unit) {
        gathered.forEach { action(it.owner) }
        entries.forEach { action(it.owner) }
    }

    fun clear() {
        entries.clear()
        gathered.clear()
        endBatch()
    }

    private fun hasRoomFor(bytes: Int): Boolean {
        if (!isGathering || entries.isNotEmpty() || bytes > MAX_COPIED_BYTES) return false
        if (gathered.isEmpty()) batch = pool.acquireCounted(BATCH_BYTES) ?: return false
        return bytes <= batch.remaining()
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

    /** A peer may answer a message before the rest of the batch is written: each owner hears as soon as its own message is out. */
    private fun removeWritten(nanos: Long) {
        while (gathered.isNotEmpty() && gathered.first().end <= batch.position()) {
            onSent(gathered.removeFirst().owner, nanos)
        }
        if (batch.hasRemaining()) return
        endBatch()
        while (entries.firstOrNull()?.buffers?.none { it.hasRemaining() } == true) {
            onSent(entries.removeFirst().owner, nanos)
        }
    }

    private fun endBatch() {
        pool.releaseCounted(batch)
        batch = BufferPool.EMPTY
        isGathering = true
    }

    companion object {
        const val BATCH_BYTES = 64 * 1024
        private const val MAX_COPIED_BYTES = 8 * 1024

        /** Buffers in one system call; Linux takes 1024. */
        private const val MAX_BUFFERS = 1024
    }
}
