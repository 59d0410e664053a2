package mwlab.loadgen.measure

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/**
 * What went wrong, by message: all are counted, and each of the first [MOST_MESSAGES] different ones is reported
 * once in memtier's words, or every time if [reportAll]. Thread-safe.
 */
internal class ErrorLog(
    private val server: String,
    private val reportAll: Boolean,
    private val report: (String) -> Unit,
) {
    private val replies = ConcurrentHashMap<String, AtomicLong>()
    private val connections = ConcurrentHashMap<String, AtomicLong>()

    /** Error lines that servers replied, and how often. */
    val replyCounts: Map<String, Long> get() = replies.mapValues { it.value.get() }.toSortedMap()

    /** A request that the server answered with an error line. */
    fun reply(line: String) = count(replies, line) { "server $server handle error response: $line" }

    /** A connection that could not be made or that broke. */
    fun connection(failure: Exception) {
        val message = failure.message ?: failure.javaClass.simpleName
        count(connections, message) { "Connection error: $message" }
    }

    private fun count(counts: ConcurrentHashMap<String, AtomicLong>, message: String, text: () -> String) {
        val key = if (counts.containsKey(message) || counts.size < MOST_MESSAGES) message else OTHERS
        val earlier = counts.computeIfAbsent(key) { AtomicLong() }.getAndIncrement()
        if (earlier == 0L || reportAll) report(text())
    }

    private companion object {
        const val MOST_MESSAGES = 10
        const val OTHERS = "(others)"
    }
}
