package mwlab.loadgen.measure

import java.util.concurrent.atomic.AtomicLong

/** Running totals of one event loop for the progress line: the loop writes, the main thread reads. */
internal class LiveCounters {
    private val sentCount = AtomicLong()
    private val replyCount = AtomicLong()
    private val errorCount = AtomicLong()
    private val byteCount = AtomicLong()
    private val responseTimeSumUs = AtomicLong()
    private val connectionErrorCount = AtomicLong()

    fun addSent() = sentCount.increaseBy(1)

    fun addReply(responseTimeUs: Long, bytes: Int) {
        replyCount.increaseBy(1)
        byteCount.increaseBy(bytes.toLong())
        responseTimeSumUs.increaseBy(responseTimeUs)
    }

    fun addError() = errorCount.increaseBy(1)

    fun addConnectionError() = connectionErrorCount.increaseBy(1)

    fun read() = LiveTotals(
        sent = sentCount.get(),
        replies = replyCount.get(),
        errors = errorCount.get(),
        bytes = byteCount.get(),
        sumUs = responseTimeSumUs.get(),
        connectionErrors = connectionErrorCount.get(),
    )

    /** There is one writer, so an ordered store is enough, and cheap on the hot path. */
    private fun AtomicLong.increaseBy(amount: Long) = lazySet(plain + amount)
}

/** What [LiveCounters] held at some moment. */
internal data class LiveTotals(
    val sent: Long,
    val replies: Long,
    val errors: Long,
    val bytes: Long,
    val sumUs: Long,
    val connectionErrors: Long,
) {
    operator fun plus(other: LiveTotals) = LiveTotals(
        sent + other.sent,
        replies + other.replies,
        errors + other.errors,
        bytes + other.bytes,
        sumUs + other.sumUs,
        connectionErrors + other.connectionErrors,
    )

    companion object {
        val NONE = LiveTotals(0, 0, 0, 0, 0, 0)
    }
}
