package mwlab.metrics.stats

/** Count, sum, smallest and largest of one time; in nanoseconds. Not thread-safe. */
class TimeStats {
    var count = 0L
        private set
    var sumNanos = 0L
        private set
    private var minNanos = Long.MAX_VALUE
    private var maxNanos = 0L

    val meanMs: Double get() = sumNanos / NANOS_PER_MS / count
    val minMs: Double get() = minNanos / NANOS_PER_MS
    val maxMs: Double get() = maxNanos / NANOS_PER_MS

    fun record(nanos: Long) {
        count++
        sumNanos += nanos
        if (nanos < minNanos) minNanos = nanos
        if (nanos > maxNanos) maxNanos = nanos
    }

    fun add(other: TimeStats) {
        count += other.count
        sumNanos += other.sumNanos
        minNanos = minOf(minNanos, other.minNanos)
        maxNanos = maxOf(maxNanos, other.maxNanos)
    }

    fun reset() {
        count = 0
        sumNanos = 0
        minNanos = Long.MAX_VALUE
        maxNanos = 0
    }

    private companion object {
        const val NANOS_PER_MS = 1e6
    }
}
