package mwlab.loadgen.workload

import mwlab.loadgen.request.Operation
import java.nio.ByteBuffer

/** Writes requests in memcached's text protocol. Not thread-safe. */
internal class RequestWriter(private val values: ValueSequence) {
    /**
     * Appends one request for one key.
     *
     * @param valueBytes length of the value of what stores one
     * @param unique what `gets` said of the value that a `cas` is to replace
     */
    fun put(operation: Operation, key: KeyText, valueBytes: Int, unique: Long, out: ByteBuffer) {
        out.put(commands[operation.ordinal]).put(SPACE)
        when (operation) {
            Operation.SET, Operation.ADD, Operation.CAS, Operation.SEND ->
                putStorage(operation, key, valueBytes, unique, out)

            Operation.GET, Operation.GETS, Operation.DELETE, Operation.POP, Operation.PEEK, Operation.LIST ->
                key.putTo(out)

            Operation.TOUCH -> key.putTo(out).also { out.put(SPACE).putDecimal(values.nextExpiryS()) }

            Operation.INCR, Operation.DECR -> key.putTo(out).also { out.put(BY_ONE) }

            Operation.GAT -> out.putDecimal(values.nextExpiryS()).put(SPACE).also { key.putTo(it) }

            Operation.META_GET -> key.putTo(out).also { out.put(WANT_VALUE) }
        }
        out.put(LINE_END)
    }

    /** Appends an `add` of the number that counting begins with. */
    fun putCounter(key: KeyText, out: ByteBuffer) {
        out.put(ADD)
        key.putTo(out)
        out.put(NO_FLAGS).putDecimal(values.nextExpiryS()).put(FIRST_NUMBER)
    }

    /** Appends a get of several keys: [nextKey] sets each. */
    inline fun putGet(keys: Int, out: ByteBuffer, nextKey: () -> KeyText) {
        out.put(commands[Operation.GET.ordinal])
        repeat(keys) { nextKey().putTo(out.put(SPACE)) }
        out.put(LINE_END)
    }

    private fun putStorage(operation: Operation, key: KeyText, bytes: Int, unique: Long, out: ByteBuffer) {
        key.putTo(out)
        out.put(NO_FLAGS).putDecimal(values.nextExpiryS()).put(SPACE).putDecimal(bytes.toLong())
        if (operation == Operation.CAS) out.put(SPACE).putDecimal(unique)
        out.put(LINE_END)
        values.put(bytes, out)
    }

    companion object {
        /** More than all words and numbers of a request without its keys and its value. */
        const val FRAME_BYTES = 128

        private val commands = Operation.entries.map { it.command.toByteArray() }
        private val LINE_END = "\r\n".toByteArray()
        private val NO_FLAGS = " 0 ".toByteArray()
        private val BY_ONE = " 1".toByteArray()
        private val WANT_VALUE = " v".toByteArray()
        private val ADD = "add ".toByteArray()

        /** In the middle of seven digits: counting up and down leaves the length as it is, and far from zero. */
        private val FIRST_NUMBER = " 7\r\n5000000\r\n".toByteArray()
        private const val SPACE = ' '.code.toByte()
    }
}
