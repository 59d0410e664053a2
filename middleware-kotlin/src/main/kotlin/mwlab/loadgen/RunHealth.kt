package mwlab.loadgen

/**
 * Whether the numbers of a run can be trusted.
 *
 * @property unanswered requests whose replies did not come before the run was over
 * @property lost requests whose connection broke before the reply
 * @property unsent arrivals of an open loop that no client was free for before the run ended
 * @property failedClients clients that ended before the run did
 * @property cpuS CPU seconds of this process from the start of the run to its end
 * @property loopUtilization busiest event loop, 0..1
 */
internal class RunHealth(
    val unanswered: Long,
    val lost: Long,
    val unsent: Long,
    val failedClients: Int,
    val cpuS: Double,
    val loopUtilization: Double,
    val loopLagP99Ms: Double,
    val loopLagMaxMs: Double,
) {
    /** Whether this process rather than the system under test may have set the pace. */
    val isGeneratorLimited: Boolean get() = loopUtilization > BUSY || loopLagP99Ms > LATE_MS

    fun warning() =
        "warning: this generator itself may have been the bottleneck (event loop busy for ${percent()} % of the " +
            "time, woken up to ${loopLagMaxMs.fixed(1)} ms late): use more threads, more hosts or fewer clients."

    private fun percent() = (loopUtilization * PERCENT).fixed(0)

    /** Every client came to its end and got all its replies. */
    val isComplete: Boolean get() = unanswered == 0L && failedClients == 0

    private companion object {
        const val BUSY = 0.9
        const val LATE_MS = 10.0
        const val PERCENT = 100
    }
}

/** To be called when the clients have ended. */
internal fun runHealth(threads: List<ClientThread>, clock: RunClock, cpuNanos: Long): RunHealth {
    val elapsedNanos = (System.nanoTime() - clock.startNanos).coerceAtLeast(1)
    val clients = threads.flatMap { it.clients }
    return RunHealth(
        unanswered = clients.sumOf { it.unanswered },
        lost = clients.sumOf { it.lost },
        unsent = threads.sumOf { it.arrivals?.unsent ?: 0 },
        failedClients = clients.count { it.failure != null },
        cpuS = cpuNanos.toDouble() / RunClock.NANOS_PER_SECOND,
        loopUtilization = threads.maxOf { it.utilization(elapsedNanos) },
        loopLagP99Ms = threads.maxOf { it.lag.p99Ms },
        loopLagMaxMs = threads.maxOf { it.lag.maxMs },
    )
}
