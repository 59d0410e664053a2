package mwlab.loadgen.sample

import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.SentRequest
import java.util.SplittableRandom

/**
 * Chooses requests at random and writes down each when its reply is there. Confined to the thread of one event loop.
 *
 * Each request is taken with the same probability whatever came before, so that the sample is unbiased even if the load
 * has a period. Rows gather in [text] and go to the file in blocks.
 */
internal class Sampler(
    private val file: SampleFile,
    private val oneOf: Int,
    private val clock: RunClock,
    private val random: SplittableRandom,
) {
    private val text = StringBuilder(BLOCK_CHARS + LONGEST_ROW_CHARS)

    /** Whether the request that is sent now is in the sample. */
    fun takesNext(): Boolean = random.nextInt(oneOf) == 0

    /** Appends the row of a request whose outcome is known. */
    fun write(request: SentRequest) {
        if (request.isDue) appendUs(request.dueNanos)
        text.append(',')
        appendUs(request.sentNanos)
        text.append(',')
        if (request.hasReply) appendUs(request.firstByteNanos)
        text.append(',')
        if (request.outcome.isReply) appendUs(request.lastByteNanos)
        text.append(',').append(request.operation.word).append(',')
        appendQuoted(request.sampledKey.orEmpty())
        text.append(',').append(file.server).append(',').append(request.outcome.word).append('\n')
        if (text.length >= BLOCK_CHARS) flush()
    }

    /** Hands over what has gathered. */
    fun flush() {
        file.append(text)
        text.setLength(0)
    }

    private fun appendUs(nanos: Long) {
        text.append((nanos - clock.startNanos) / RunClock.NANOS_PER_MICRO)
    }

    private fun appendQuoted(key: String) {
        val isPlain = key.none { it == ',' || it == '"' }
        if (isPlain) text.append(key) else text.append('"').append(key.replace("\"", "\"\"")).append('"')
    }

    private companion object {
        const val BLOCK_CHARS = 1 shl 16
        const val LONGEST_ROW_CHARS = 1024
    }
}
