package mwlab.metrics.stats

/**
 * What is counted in one span of time: a second of one net thread, the same second of all, or the whole run.
 *
 * Not thread-safe; handed from thread to thread when the second is over.
 */
class WindowStats(private val servers: Int, workers: Int, private val memory: StatsMemory = StatsMemory()) {
    /** The epoch second that the window covers; the first one of the whole run. */
    var epochSecond = 0L
    var durationNanos = 0L
    val types = arrayOfNulls<TypeStats>(RequestType.count)
    val server = Array(servers) { ServerStats() }
    val queue = QueueStats()

    /** Requests that the middleware itself answered with an error, because their line or value was wrong or too large. */
    var refusedRequests = 0L

    /** Replies that were ready when the client's connection was broken or closed. */
    var undeliveredReplies = 0L

    /** Time for which each worker held a job. */
    val workerBusyNanos = LongArray(workers)

    /** Time that each net thread has spent on a processor, by the number of the thread. */
    val netThreadCpuNanos = mutableMapOf<Int, Long>()

    fun type(type: Int): TypeStats = types[type] ?: TypeStats(servers, memory).also { types[type] = it }

    /** Calls [action] for each type that has requests. */
    inline fun forEachType(action: (name: String, stats: TypeStats) -> Unit) =
        forEachUsedType { name, stats -> if (stats.counts.requests > 0) action(name, stats) }

    /**
     * Calls [action] for each type of which anything was recorded: what a server has answered counts where its worker runs, the
     * request where and when its client has the reply.
     */
    inline fun forEachUsedType(action: (name: String, stats: TypeStats) -> Unit) {
        for (type in types.indices) types[type]?.takeIf { it.isUsed }?.let { action(RequestType.name(type), it) }
    }

    /** Adds another thread's window of the same second, or, to a whole run, a later second. */
    fun add(other: WindowStats) {
        for (index in types.indices) other.types[index]?.takeIf { it.isUsed }?.let { type(index).add(it) }
        server.forEachIndexed { index, stats -> stats.add(other.server[index]) }
        queue.add(other.queue)
        refusedRequests += other.refusedRequests
        undeliveredReplies += other.undeliveredReplies
        workerBusyNanos.indices.forEach { workerBusyNanos[it] += other.workerBusyNanos[it] }
        other.netThreadCpuNanos.forEach { (index, nanos) -> netThreadCpuNanos.merge(index, nanos, Long::plus) }
    }

    fun reset() {
        durationNanos = 0
        types.forEach { if (it != null && it.isUsed) it.reset() }
        server.forEach(ServerStats::reset)
        queue.reset()
        refusedRequests = 0
        undeliveredReplies = 0
        workerBusyNanos.fill(0)
        netThreadCpuNanos.clear()
    }
}

/** What is counted of the job queue in a span of time. Not thread-safe. */
class QueueStats {
    var arrivals = 0L
    var refused = 0L
    var maxLength = 0L
    val interarrivalTime = SquaredStats()

    /** Jobs waiting, integrated over the time: divided by the duration, the time-weighted mean length. */
    var lengthNanos = 0L
    val sampledLength = SquaredStats()

    fun add(other: QueueStats) {
        arrivals += other.arrivals
        refused += other.refused
        maxLength = maxOf(maxLength, other.maxLength)
        interarrivalTime.add(other.interarrivalTime)
        lengthNanos += other.lengthNanos
        sampledLength.add(other.sampledLength)
    }

    fun reset() {
        arrivals = 0
        refused = 0
        maxLength = 0
        interarrivalTime.reset()
        lengthNanos = 0
        sampledLength.reset()
    }
}

/** Count, sum and sum of squares. Not thread-safe. */
class SquaredStats {
    var count = 0L
        private set
    private var sum = 0.0
    private var squares = 0.0

    val mean: Double get() = sum / count

    /** Squared coefficient of variation: variance over squared mean; 1 for Poisson arrivals, 0 for regular ones. */
    val scv: Double get() = maxOf(squares / count / (mean * mean) - 1, 0.0)

    fun record(value: Double) {
        count++
        sum += value
        squares += value * value
    }

    fun add(other: SquaredStats) {
        count += other.count
        sum += other.sum
        squares += other.squares
    }

    fun reset() {
        count = 0
        sum = 0.0
        squares = 0.0
    }
}
