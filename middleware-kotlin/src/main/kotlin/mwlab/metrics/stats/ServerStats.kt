package mwlab.metrics.stats

/** What is counted of one server in a span of time. Not thread-safe. */
class ServerStats {
    var requests = 0L
    var keys = 0L
    var errors = 0L

    /** Requests that went to another server, because this one did not answer. */
    var failovers = 0L
    var bytesOut = 0L
    var bytesIn = 0L
    val responseTime = TimeStats()

    fun add(other: ServerStats) {
        requests += other.requests
        keys += other.keys
        errors += other.errors
        failovers += other.failovers
        bytesOut += other.bytesOut
        bytesIn += other.bytesIn
        responseTime.add(other.responseTime)
    }

    fun reset() {
        requests = 0
        keys = 0
        errors = 0
        failovers = 0
        bytesOut = 0
        bytesIn = 0
        responseTime.reset()
    }
}
