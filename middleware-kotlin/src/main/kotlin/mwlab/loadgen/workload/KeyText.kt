package mwlab.loadgen.workload

import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Queues
import mwlab.loadgen.request.Operation
import mwlab.memcached.MAX_KEY_BYTES
import java.nio.ByteBuffer

/** The text of one key after the other, in the same bytes. Not thread-safe. */
internal class KeyText(keys: Keys) {
    private val prefix = keys.prefix.toByteArray()
    private val text = ByteBuffer.allocate(MAX_KEY_BYTES)

    /** The key of an object: the prefix and the number. */
    fun setObject(number: Long): KeyText {
        text.clear().put(prefix).putDecimal(number).flip()
        return this
    }

    /** The key of [operation] on messages of a queue to a receiver; number 0 is nobody. */
    fun setMessage(operation: Operation, queue: Long, receiver: Long): KeyText {
        text.clear()
        if (operation == Operation.LIST) text.put(ALL_WAITING) else text.put(prefix).putDecimal(queue)
        if (receiver > 0) text.put(TO_RECEIVER).putDecimal(receiver)
        if (operation == Operation.PEEK) text.put(PEEK)
        text.flip()
        return this
    }

    fun putTo(out: ByteBuffer) {
        out.put(text)
        text.rewind()
    }

    private companion object {
        val TO_RECEIVER = Queues.TO_RECEIVER.toByteArray()
        val PEEK = Queues.PEEK.toByteArray()
        val ALL_WAITING = Queues.ALL_WAITING.toByteArray()
    }
}

/** Appends a number that is not negative in decimal digits, without making a string. */
internal fun ByteBuffer.putDecimal(number: Long): ByteBuffer {
    var digits = 1
    var rest = number / 10
    while (rest > 0) {
        digits++
        rest /= 10
    }
    rest = number
    for (place in digits - 1 downTo 0) {
        put(position() + place, ('0'.code + rest % 10).toByte())
        rest /= 10
    }
    return position(position() + digits)
}
