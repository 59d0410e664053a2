package mwlab.loadgen.sample

import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.SentRequest
import java.util.SplittableRandom

/**
 * Chooses requests at random and writes down each when its reply is there. Confined to the thread of one event loop.
 *
 * Each request is taken with the same probability whatever came before, so that the sample is unbiased even if the load
 * has a period.
 */
internal class Sampler(
    private val file: SampleFile,
    private val oneOf: Int,
    private val clock: RunClock,
    private val random: SplittableRandom,
) {
    private val text = StringBuilder()

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
        text.append(',').append(file.server).append(',').append(request.outcome.word)
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
}
