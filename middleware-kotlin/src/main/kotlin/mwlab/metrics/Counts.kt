package mwlab.metrics

/**
 * What was counted since the start, up to the moment: the light part of the windows, for whoever cannot wait for a second's end.
 *
 * Not thread-safe.
 */
class Counts(servers: Int) {
    val types = Array(RequestType.count) { OfType() }
    val server = Array(servers) { OfServer() }
    var arrivals = 0L
    var refused = 0L

    class OfType {
        var requests = 0L
        var errors = 0L
        var hits = 0L
        var misses = 0L
        var bytesIn = 0L
        var bytesOut = 0L
        var responseNanos = 0L
    }

    class OfServer {
        var requests = 0L
        var keys = 0L
        var errors = 0L
        var failovers = 0L
        var replies = 0L
        var responseNanos = 0L
    }

    fun add(window: WindowStats) {
        window.types.forEachIndexed { index, stats -> if (stats != null) types[index].add(stats) }
        window.server.forEachIndexed { index, stats -> server[index].add(stats) }
        arrivals += window.queue.arrivals
        refused += window.queue.refused
    }

    fun add(other: Counts) {
        types.forEachIndexed { index, sum -> sum.add(other.types[index]) }
        server.forEachIndexed { index, sum -> sum.add(other.server[index]) }
        arrivals += other.arrivals
        refused += other.refused
    }

    private fun OfType.add(stats: TypeStats) {
        requests += stats.requests
        errors += stats.errors
        hits += stats.hits
        misses += stats.misses
        bytesIn += stats.bytesIn
        bytesOut += stats.bytesOut
        responseNanos += stats.times(JobTime.RESPONSE_TIME).sumNanos
    }

    private fun OfType.add(other: OfType) {
        requests += other.requests
        errors += other.errors
        hits += other.hits
        misses += other.misses
        bytesIn += other.bytesIn
        bytesOut += other.bytesOut
        responseNanos += other.responseNanos
    }

    private fun OfServer.add(stats: ServerStats) {
        requests += stats.requests
        keys += stats.keys
        errors += stats.errors
        failovers += stats.failovers
        replies += stats.responseTime.count
        responseNanos += stats.responseTime.sumNanos
    }

    private fun OfServer.add(other: OfServer) {
        requests += other.requests
        keys += other.keys
        errors += other.errors
        failovers += other.failovers
        replies += other.replies
        responseNanos += other.responseNanos
    }
}
