package mwlab.loadgen.workload

import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Queues
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.SentRequest
import mwlab.memcached.MAX_KEY_BYTES
import java.nio.ByteBuffer
import kotlin.math.min

/**
 * The requests of one connection. Not thread-safe.
 *
 * Objects in memtier's order: a cycle of S sets and then G gets, where one multi-key get counts as as many gets as it has
 * keys. Sets and gets walk through the keys on their own. Of messages, operation, queue and receiver are drawn.
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
    private val draw = mix.queues?.let { WeightedDraw(mix.weights, random) }
    private val writer = RequestWriter(values)
    private val key = KeyText(options.keys)
    private var setsInCycle = 0
    private var getsInCycle = 0

    /** How many requests `--requests allkeys` means for this connection. */
    val keyCount: Long = range.last - range.first + 1

    /** Appends the next request to [out], which has room for [largestRequestBytes], and describes it in [request]. */
    fun next(request: SentRequest, out: ByteBuffer) {
        val start = out.position()
        if (mix.queues != null && draw != null) {
            putMessage(draw.next(), mix.queues, request, out)
        } else {
            putNextOfCycle(request, out)
        }
        request.bytes = out.position() - start
    }

    private fun putNextOfCycle(request: SentRequest, out: ByteBuffer) {
        if (setsInCycle == mix.sets && getsInCycle == mix.gets) {
            setsInCycle = 0
            getsInCycle = 0
        }
        if (setsInCycle < mix.sets) {
            setsInCycle++
            putSet(request, out)
        } else {
            val keys = min(mix.multiKeyGet.coerceAtLeast(1), mix.gets - getsInCycle)
            getsInCycle += keys
            putGet(keys, request, out)
        }
    }

    private fun putSet(request: SentRequest, out: ByteBuffer) {
        request.describe(Operation.SET)
        val number = setKeys.next()
        writer.putStorage(Operation.SET, key.setObject(number), values.nextSize(number), out)
    }

    private fun putGet(keys: Int, request: SentRequest, out: ByteBuffer) {
        request.describe(Operation.GET, keys)
        writer.putRetrieval(Operation.GET, keys, out) { key.setObject(getKeys.next()) }
    }

    private fun putMessage(operation: Operation, queues: Queues, request: SentRequest, out: ByteBuffer) {
        val queue = random.nextLong(queues.count.toLong()) + 1
        val receiver = if (queues.receivers == 0) 0L else random.nextLong(queues.receivers.toLong()) + 1
        request.describe(operation)
        key.setMessage(operation, queue, receiver)
        if (operation.storesValue) {
            writer.putStorage(operation, key, values.nextSize(queue), out)
        } else {
            writer.putRetrieval(operation, keys = 1, out) { key }
        }
    }

    companion object {
        private const val MOST_DIGITS = 20

        /** Upper limit of the length of one request under these options. */
        fun largestRequestBytes(options: Options): Int {
            val objectBytes = options.keys.prefix.toByteArray().size + MOST_DIGITS
            val keyBytes = 1 + if (options.mix.queues == null) objectBytes else MAX_KEY_BYTES
            val setBytes = keyBytes + options.values.size.largestBytes
            return RequestWriter.FRAME_BYTES + maxOf(setBytes, keyBytes * options.mix.multiKeyGet)
        }
    }
}
