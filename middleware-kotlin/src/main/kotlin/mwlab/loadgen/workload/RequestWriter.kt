package mwlab.loadgen.workload

import mwlab.loadgen.request.Operation
import java.nio.ByteBuffer

/** Writes requests in memcached's text protocol. Not thread-safe. */
internal class RequestWriter(private val values: ValueSequence) {
    /** Appends a request that stores [valueBytes] bytes under one key. */
    fun putStorage(operation: Operation, key: KeyText, valueBytes: Int, out: ByteBuffer) {
        out.put(commands[operation.ordinal]).put(SPACE)
        key.putTo(out)
        out.put(NO_FLAGS).putDecimal(values.nextExpiryS()).put(SPACE).putDecimal(valueBytes.toLong()).put(LINE_END)
        values.put(valueBytes, out)
        out.put(LINE_END)
    }

    /** Appends a request that reads [keys] keys: [nextKey] sets each. */
    inline fun putRetrieval(operation: Operation, keys: Int, out: ByteBuffer, nextKey: () -> KeyText) {
        out.put(commands[operation.ordinal])
        repeat(keys) { nextKey().putTo(out.put(SPACE)) }
        out.put(LINE_END)
    }

    companion object {
        /** More than all words and numbers of a request without its keys and its value. */
        const val FRAME_BYTES = 128

        private val commands = Operation.entries.map { it.command.toByteArray() }
        private val LINE_END = "\r\n".toByteArray()
        private val NO_FLAGS = " 0 ".toByteArray()
        private const val SPACE = ' '.code.toByte()
    }
}
