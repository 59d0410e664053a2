package mwlab.metrics.stats

/** What is counted of one request type in a span of time. Not thread-safe. */
class TypeStats(servers: Int, memory: StatsMemory) {
    val counts = RequestCounts()
    private val times = Array(JobTime.entries.size) { TimeStats() }

    /** Of the times in [HISTOGRAM_TIMES], and of each server's. */
    private val distributions = Array(HISTOGRAM_TIMES.size) { TimeCounts(memory) }
    private val serverDistributions = Array(servers) { TimeCounts(memory) }

    /** Whether anything was recorded: a request, or a server's answer to one that counts elsewhere. */
    var isUsed = false
        private set

    fun times(time: JobTime): TimeStats = times[time.ordinal]

    fun distribution(time: JobTime): TimeCounts = distributions[HISTOGRAM_TIMES.indexOf(time)]

    fun serverDistribution(server: Int): TimeCounts = serverDistributions[server]

    fun record(request: Outcome, stamps: JobTimes) {
        isUsed = true
        counts.record(request)
        for (index in times.indices) {
            val nanos = ALL_TIMES[index].of(stamps)
            if (nanos >= 0) times[index].record(nanos)
        }
        for (index in distributions.indices) distributions[index].record(HISTOGRAM_TIMES[index].of(stamps))
    }

    fun recordServer(server: Int, responseNanos: Long) {
        isUsed = true
        serverDistributions[server].record(responseNanos)
    }

    fun add(other: TypeStats) {
        isUsed = isUsed || other.isUsed
        counts.add(other.counts)
        times.forEachIndexed { index, time -> time.add(other.times[index]) }
        distributions.forEachIndexed { index, times -> times.add(other.distributions[index]) }
        serverDistributions.forEachIndexed { index, times -> times.add(other.serverDistributions[index]) }
    }

    /** Sets all counts to 0, and gives back the memory of the distributions. */
    fun reset() {
        isUsed = false
        counts.reset()
        times.forEach(TimeStats::reset)
        distributions.forEach(TimeCounts::reset)
        serverDistributions.forEach(TimeCounts::reset)
    }

    companion object {
        /** The times that get a distribution. */
        val HISTOGRAM_TIMES = arrayOf(JobTime.RESPONSE_TIME, JobTime.QUEUEING_TIME, JobTime.SERVICE_TIME)
        private val ALL_TIMES = JobTime.entries.toTypedArray()
    }
}
