package mwlab.metrics.stats

/** How a request ended, apart from its times; reused from request to request. */
class Outcome {
    var keys = 0
    var hits = 0
    var misses = 0
    var bytesIn = 0
    var bytesOut = 0
    var isError = false
}
