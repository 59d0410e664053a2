package mwlab.net

import mwlab.net.buffer.BufferPool
import java.io.IOException
import java.nio.ByteBuffer

/**
 * Messages that are to be written to the peer of [connection], in order, with the owner ([O]) of each. Confined to the connection's loop.
 *
 * What is added in one turn of the loop is written at its end, in one step. Small messages are gathered in one buffer, the cheapest way.
 * Large ones, those that come while the socket is full, and all if there is no memory for that buffer stay in their owners' buffers.
 *
 * @param onSent runs for each message whose last byte is written, with the time of that.
 * @param onLost runs when nothing can be written any more; it should [clear] the outbox.
 * @param onFlushed runs after what a turn has added was written, as far as the socket took it.
 */
internal class Outbox<O>(
    private val connection: Connection,
    private val onSent: (owner: O, nanos: Long) -> Unit,
    private val onLost: (cause: Throwable) -> Unit,
    private val onFlushed: () -> Unit = {},
) {
    /** A message in [batch], and where it ends there. */
    private class Gathered<O>(val owner: O, val end: Int)

    private class Entry<O>(val owner: O, val buffers: Array<ByteBuffer>)

    private val loop = connection.loop

    /** What stands in [batch], and then what comes behind it. */
    private val gathered = ArrayDeque<Gathered<O>>()
    private val entries = ArrayDeque<Entry<O>>()

    /** Being filled until it is first given away, then being emptied. */
    private var batch = BufferPool.EMPTY
    private var isGathering = true
    private val flushAtEndOfTurn = Runnable(::flush)
    private var isFlushDue = false

    /** The socket takes nothing until [awaitRoom] has waited for it. */
    var isBlocked = false
        private set

    val isEmpty: Boolean get() = gathered.isEmpty() && entries.isEmpty()

    val size: Int get() = gathered.size + entries.size

    val remainingBytes: Long
        get() = (if (isGathering) batch.position() else batch.remaining()) +
            entries.sumOf { entry -> entry.buffers.sumOf { it.remaining().toLong() } }

    /** Adds the message in [buffers], which hold [bytes], for [owner]; whether it was copied, so that [buffers] may be used again. */
    fun add(owner: O, buffers: Array<ByteBuffer>, bytes: Int): Boolean {
        val isCopied = !isBlocked && hasRoomFor(bytes)
        if (isCopied) {
            buffers.forEach(batch::put)
            gathered.addLast(Gathered(owner, batch.position()))
        } else {
            entries.addLast(Entry(owner, buffers))
        }
        // What comes next might find no room.
        if (isGathering && gathered.isNotEmpty() && batch.remaining() < MAX_COPIED_BYTES) {
            write()
        } else if (!isBlocked && !isFlushDue) {
            isFlushDue = true
            loop.atEndOfTurn(flushAtEndOfTurn)
        }
        return isCopied
    }

    /** As [add], but writes at once what the socket takes. Only while the outbox [isEmpty]. */
    @Suppress("TooGenericExceptionCaught") // as of write
    fun writeNow(owner: O, buffers: Array<ByteBuffer>) {
        try {
            if (connection.tryWrite(buffers)) return onSent(owner, loop.clock.nanos())
            isBlocked = true
            entries.addLast(Entry(owner, buffers))
        } catch (failure: Throwable) {
            entries.addLast(Entry(owner, buffers))
            onLost(failure)
        }
    }

    /** Writes what the socket takes now. Does not fail. */
    @Suppress("TooGenericExceptionCaught") // the boundary of one connection: it is called by what serves others, too
    fun write() {
        try {
            while (!isBlocked && !isEmpty) {
                isBlocked = !connection.tryWrite(nextBuffers())
                removeWritten(loop.clock.nanos())
            }
        } catch (failure: Throwable) {
            onLost(failure)
        }
    }

    /** Suspends until the socket, which [isBlocked], takes bytes again, and goes on writing. Fails only when cancelled. */
    suspend fun awaitRoom() {
        try {
            connection.awaitWritable()
        } catch (gone: IOException) {
            return onLost(gone)
        }
        isBlocked = false
        write()
    }

    /** Forgets what is not written; [onDropped] runs for each owner. */
    fun clear(onDropped: (O) -> Unit = {}) {
        gathered.forEach { onDropped(it.owner) }
        entries.forEach { onDropped(it.owner) }
        gathered.clear()
        entries.clear()
        isBlocked = false
        endBatch()
    }

    private fun flush() {
        isFlushDue = false
        write()
        onFlushed()
    }

    private fun hasRoomFor(bytes: Int): Boolean {
        if (!isGathering || entries.isNotEmpty() || bytes > MAX_COPIED_BYTES) return false
        if (gathered.isEmpty()) batch = loop.buffers.acquireCounted(BATCH_BYTES) ?: return false
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
        loop.buffers.releaseCounted(batch)
        batch = BufferPool.EMPTY
        isGathering = true
    }

    private companion object {
        const val BATCH_BYTES = 64 * 1024
        const val MAX_COPIED_BYTES = 8 * 1024

        /** Buffers in one system call; Linux takes 1024. */
        const val MAX_BUFFERS = 1024
    }
}
