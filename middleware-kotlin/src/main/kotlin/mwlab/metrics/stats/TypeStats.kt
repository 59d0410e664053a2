package mwlab.metrics.stats

import org.HdrHistogram.Histogram

/** What is counted of one request type in a span of time. Not thread-safe. */
class TypeStats(servers: Int) {
    val counts = RequestCounts()
    private val times = Array(JobTime.entries.size) { TimeStats() }

    /** In microseconds; of the times in [HISTOGRAM_TIMES], and of each server's. */
    private val histograms = Array(HISTOGRAM_TIMES.size) { newHistogram() }
    private val serverHistograms = Array(servers) { newHistogram() }

    /** Whether anything was recorded: a request, or a server's answer to one that counts elsewhere. */
    var isUsed = false
        private set

    fun times(time: JobTime): TimeStats = times[time.ordinal]

    fun histogram(time: JobTime): Histogram = histograms[HISTOGRAM_TIMES.indexOf(time)]

    fun serverHistogram(server: Int): Histogram = serverHistograms[server]

    fun record(request: Outcome, stamps: JobTimes) {
        isUsed = true
        counts.record(request)
        for (index in times.indices) {
            val nanos = ALL_TIMES[index].of(stamps)
            if (nanos >= 0) times[index].record(nanos)
        }
        for (index in histograms.indices) {
            histograms[index].recordValue(HISTOGRAM_TIMES[index].of(stamps) / NANOS_PER_MICRO)
        }
    }

    fun recordServer(server: Int, responseNanos: Long) {
        isUsed = true
        serverHistograms[server].recordValue(responseNanos / NANOS_PER_MICRO)
    }

    fun add(other: TypeStats) {
        isUsed = isUsed || other.isUsed
        counts.add(other.counts)
        times.forEachIndexed { index, time -> time.add(other.times[index]) }
        histograms.forEachIndexed { index, histogram -> histogram.add(other.histograms[index]) }
        serverHistograms.forEachIndexed { index, histogram -> histogram.add(other.serverHistograms[index]) }
    }

    fun reset() {
        isUsed = false
        counts.reset()
        times.forEach(TimeStats::reset)
        histograms.forEach(Histogram::reset)
        serverHistograms.forEach(Histogram::reset)
    }

    companion object {
        /** The times that get a histogram. */
        val HISTOGRAM_TIMES = arrayOf(JobTime.RESPONSE_TIME, JobTime.QUEUEING_TIME, JobTime.SERVICE_TIME)
        private const val NANOS_PER_MICRO = 1000L
        private const val SIGNIFICANT_DIGITS = 2
        private val ALL_TIMES = JobTime.entries.toTypedArray()

        /** Grows to the largest value it meets, so that memory is spent on what happens only. */
        private fun newHistogram() = Histogram(SIGNIFICANT_DIGITS)
    }
}
