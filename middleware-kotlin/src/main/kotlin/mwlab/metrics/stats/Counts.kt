package mwlab.metrics.stats

/**
 * What was counted since the start, up to the moment: the light part of the windows, for whoever cannot wait for a second's end.
 *
 * Not thread-safe.
 */
class Counts(servers: Int) {
    val types = Array(RequestType.count) { RequestCounts() }

    /** The response times of each of the [types]. */
    val responseTimes = Array(RequestType.count) { TimeStats() }
    val server = Array(servers) { ServerStats() }
    var arrivals = 0L
        private set
    var refused = 0L
        private set
    var refusedRequests = 0L
        private set
    var undeliveredReplies = 0L
        private set

    fun add(window: WindowStats) {
        window.types.forEachIndexed { index, stats ->
            if (stats != null) add(index, stats.counts, stats.times(JobTime.RESPONSE_TIME))
        }
        window.server.forEachIndexed { index, stats -> server[index].add(stats) }
        arrivals += window.queue.arrivals
        refused += window.queue.refused
        refusedRequests += window.refusedRequests
        undeliveredReplies += window.undeliveredReplies
    }

    fun add(other: Counts) {
        types.indices.forEach { add(it, other.types[it], other.responseTimes[it]) }
        server.forEachIndexed { index, sum -> sum.add(other.server[index]) }
        arrivals += other.arrivals
        refused += other.refused
        refusedRequests += other.refusedRequests
        undeliveredReplies += other.undeliveredReplies
    }

    private fun add(type: Int, counts: RequestCounts, responseTime: TimeStats) {
        types[type].add(counts)
        responseTimes[type].add(responseTime)
    }
}
