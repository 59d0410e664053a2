package mwlab.loadgen.workload

import mwlab.loadgen.client.SentRequest
import mwlab.loadgen.measure.Operation
import mwlab.loadgen.options.Options
import java.nio.ByteBuffer
import kotlin.math.min

/**
 * The requests of one connection in memtier's order: a cycle of S sets and then G gets, where one multi-key get counts
 * as as many gets as it has keys. Not thread-safe.
 */
internal class Workload(
    options: Options,
    connection: Int,
    baseSeed: Long,
    content: ByteBuffer = ValueSequence.contentOf(options.values, baseSeed),
) {
    private val mix = options.mix
    private val random = options.keys.randomOf(connection, baseSeed)
    private val range = options.keys.rangeOf(connection, options.load.connections)
    private val setKeys = options.keys.sequence(options.keys.setPattern, range, random)
    private val getKeys = options.keys.sequence(options.keys.getPattern, range, random)
    private val values = ValueSequence(options.values, options.keys.minimum..options.keys.maximum, random, content)
    private val prefix = options.keys.prefix.toByteArray()
    private var setsInCycle = 0
    private var getsInCycle = 0

    /** How many requests `--requests allkeys` means for this connection. */
    val keyCount: Long = range.last - range.first + 1

    /** Appends the next request to [out], which has room for [largestRequestBytes], and describes it in [request]. */
    fun next(request: SentRequest, out: ByteBuffer) {
        val start = out.position()
        if (setsInCycle == mix.sets && getsInCycle == mix.gets) {
            setsInCycle = 0
            getsInCycle = 0
        }
        if (setsInCycle < mix.sets) nextSet(request, out) else nextGet(request, out)
        request.bytes = out.position() - start
    }

    private fun nextSet(request: SentRequest, out: ByteBuffer) {
        setsInCycle++
        request.operation = Operation.SET
        request.keys = 0
        val key = setKeys.next()
        val bytes = values.nextSize(key)
        out.put(SET).put(prefix).putDecimal(key).put(NO_FLAGS).putDecimal(values.nextExpiryS())
        out.put(SPACE).putDecimal(bytes.toLong()).put(LINE_END)
        values.put(bytes, out)
        out.put(LINE_END)
    }

    private fun nextGet(request: SentRequest, out: ByteBuffer) {
        val keys = min(mix.multiKeyGet.coerceAtLeast(1), mix.gets - getsInCycle)
        getsInCycle += keys
        request.operation = Operation.GET
        request.keys = keys
        out.put(GET)
        repeat(keys) { out.put(SPACE).put(prefix).putDecimal(getKeys.next()) }
        out.put(LINE_END)
    }

    companion object {
        private val SET = "set ".toByteArray()
        private val GET = "get".toByteArray()
        private val NO_FLAGS = " 0 ".toByteArray()
        private val LINE_END = "\r\n".toByteArray()
        private const val SPACE = ' '.code.toByte()
        private const val MOST_DIGITS = 20
        private const val SET_FRAME_BYTES = 64

        /** Upper limit of the length of one request under these options. */
        fun largestRequestBytes(options: Options): Int {
            val keyBytes = 1 + options.keys.prefix.toByteArray().size + MOST_DIGITS
            val setBytes = SET_FRAME_BYTES + keyBytes + options.values.size.largestBytes
            val getBytes = GET.size + LINE_END.size + keyBytes * options.mix.multiKeyGet.coerceAtLeast(1)
            return maxOf(setBytes, getBytes)
        }
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
