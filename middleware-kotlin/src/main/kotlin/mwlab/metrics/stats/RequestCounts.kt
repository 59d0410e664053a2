package mwlab.metrics.stats

/** How many requests there were, and what came of them. Not thread-safe. */
class RequestCounts {
    var requests = 0L
    var keys = 0L
    var errors = 0L
    var hits = 0L
    var misses = 0L
    var bytesIn = 0L
    var bytesOut = 0L

    fun add(other: RequestCounts) {
        requests += other.requests
        keys += other.keys
        errors += other.errors
        hits += other.hits
        misses += other.misses
        bytesIn += other.bytesIn
        bytesOut += other.bytesOut
    }

    fun record(request: Outcome) {
        requests++
        keys += request.keys
        hits += request.hits
        misses += request.misses
        bytesIn += request.bytesIn
        bytesOut += request.bytesOut
        if (request.isError) errors++
    }

    fun reset() {
        requests = 0
        keys = 0
        errors = 0
        hits = 0
        misses = 0
        bytesIn = 0
        bytesOut = 0
    }
}
