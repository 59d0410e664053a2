package mwlab.middleware.server

import java.nio.ByteBuffer

/**
 * What is to be written to a server, in order, with the calls that wait for it. Not thread-safe.
 *
 * @param onSent runs for each call whose last byte is written, with the time of that.
 */
internal class Outbox(private val onSent: (call: ServerCall, nanos: Long) -> Unit) {
    private class Entry(val call: ServerCall, val buffers: Array<ByteBuffer>)

    private val entries = ArrayDeque<Entry>()

    val isEmpty: Boolean get() = entries.isEmpty()

    fun add(call: ServerCall, buffers: Array<ByteBuffer>) {
        entries.addLast(Entry(call, buffers))
    }

    /** Gives what is in it to [tryWrite], which says whether it took all; false once it did not. */
    inline fun write(tryWrite: (Array<ByteBuffer>) -> Boolean): Boolean {
        while (!isEmpty) {
            val hasTakenAll = tryWrite(nextBuffers())
            removeWritten(System.nanoTime())
            if (!hasTakenAll) return false
        }
        return true
    }

    fun clear() = entries.clear()

    private fun nextBuffers(): Array<ByteBuffer> {
        val buffers = ArrayList<ByteBuffer>()
        for (entry in entries) {
            if (buffers.size + entry.buffers.size > MAX_BUFFERS && buffers.isNotEmpty()) break
            buffers.addAll(entry.buffers)
        }
        return buffers.toTypedArray()
    }

    private fun removeWritten(nanos: Long) {
        while (entries.firstOrNull()?.buffers?.none { it.hasRemaining() } == true) {
            onSent(entries.removeFirst().call, nanos)
        }
    }

    private companion object {
        /** Buffers in one system call; Linux takes 1024. */
        const val MAX_BUFFERS = 1024
    }
}
