package mwlab.loadgen.workload

import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Queues
import mwlab.loadgen.request.Operation
import mwlab.memcached.MAX_KEY_BYTES
import java.nio.ByteBuffer

/** The text of one key after the other, in the same bytes. Not thread-safe. */
internal class KeyText(private val keys: Keys) {
    private val prefix = keys.prefix.toByteArray()
    private val counterPrefix = (keys.prefix + Keys.COUNTER).toByteArray()
    private val text = ByteBuffer.allocate(MAX_KEY_BYTES)

    /** The key of an object: the prefix and the number, in front of which zeros make up the length that it has in ETC. */
    fun setObject(number: Long): KeyText = set(prefix, number)

    /** The key of a number to count with, apart from all keys of objects. */
    fun setCounter(number: Long): KeyText = set(counterPrefix, number)

    /** The key of [operation] on messages of a queue to a receiver; number 0 is nobody. */
    fun setMessage(operation: Operation, queue: Long, receiver: Long): KeyText {
        text.clear()
        if (operation == Operation.LIST) text.put(ALL_WAITING) else text.put(prefix).putDecimal(queue)
        if (receiver > 0) text.put(TO_RECEIVER).putDecimal(receiver)
        if (operation == Operation.PEEK) text.put(PEEK)
        text.flip()
        return this
    }

    /** A key as it stands in a trace. */
    fun set(key: ByteArray): KeyText {
        text.clear().put(key).flip()
        return this
    }

    fun putTo(out: ByteBuffer) {
        out.put(text)
        text.rewind()
    }

    override fun toString() = String(text.array(), 0, text.limit())

    private fun set(prefix: ByteArray, number: Long): KeyText {
        val digits = if (keys.sizesOfEtc) EtcSizes.keyBytes(number) - prefix.size else 0
        text.clear().put(prefix).putDecimal(number, digits).flip()
        return this
    }

    private companion object {
        val TO_RECEIVER = Queues.TO_RECEIVER.toByteArray()
        val PEEK = Queues.PEEK.toByteArray()
        val ALL_WAITING = Queues.ALL_WAITING.toByteArray()
    }
}

/** Appends a number that is not negative in at least [leastDigits] decimal digits, without making a string. */
internal fun ByteBuffer.putDecimal(number: Long, leastDigits: Int = 1): ByteBuffer {
    var digits = 1
    var rest = number / 10
    while (rest > 0) {
        digits++
        rest /= 10
    }
    digits = maxOf(digits, leastDigits)
    rest = number
    for (place in digits - 1 downTo 0) {
        put(position() + place, ('0'.code + rest % 10).toByte())
        rest /= 10
    }
    return position(position() + digits)
}
