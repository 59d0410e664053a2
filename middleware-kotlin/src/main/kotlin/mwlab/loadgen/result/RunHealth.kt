package mwlab.loadgen.result

import mwlab.loadgen.arrivals.ArrivalTest
import mwlab.loadgen.arrivals.SentTimes
import mwlab.loadgen.client.ClientThread
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Options
import mwlab.loadgen.request.RunClock

/**
 * Whether the numbers of a run can be trusted.
 *
 * @property unanswered requests whose replies did not come before the run was over
 * @property lost requests whose connection broke before the reply
 * @property unsent arrivals of an open loop that no client was free for before the run ended
 * @property failedClients clients that ended before the run did
 * @property cpuS CPU seconds of this process from the start of the run to its end
 * @property loopUtilization busiest event loop, 0..1
 * @property arrivals whether an open loop sent when it should; null in a closed one, or if it sent too little to tell
 * @property loopLagP90Ms how late the latest event loop woke up, at its 90th percentile
 * @property omitted requests of clients with a rate that were due and never sent, since their clients were held up
 */
internal class RunHealth(
    val unanswered: Long,
    val lost: Long,
    val unsent: Long,
    val failedClients: Int,
    val cpuS: Double,
    val loopUtilization: Double,
    val loopLagP90Ms: Double,
    val loopLagMaxMs: Double,
    val arrivals: ArrivalTest? = null,
    val omitted: Long = 0,
) {
    /**
     * Whether this process rather than the system under test may have set the pace: a loop had hardly any time left, or
     * the processor was so short that waking up late was no exception.
     */
    val isGeneratorLimited: Boolean get() = loopUtilization > BUSY || loopLagP90Ms > LATE_MS

    /** What a reader of the numbers must know, a line each. */
    fun warnings(): List<String> = listOfNotNull(
        limitedWarning().takeIf { isGeneratorLimited },
        omittedWarning().takeIf { omitted > 0 },
        arrivals?.takeIf { !it.isAsAsked }?.warning(),
    )

    private fun omittedWarning() =
        "warning: $omitted requests were due and never sent, because their clients waited for " +
            "earlier replies: response times leave them out, \"Latency from intended send time\" in the JSON file counts them."

    private fun limitedWarning(): String {
        val busy = "busy for ${(loopUtilization * PERCENT).fixed(0)} % of the time"
        val late = "woken up ${loopLagP90Ms.fixed(1)} ms late or more one time in ten"
        return "warning: this generator itself may have been the bottleneck (an event loop was $busy, $late): " +
            "use more threads, more hosts or fewer clients."
    }

    /** Every client came to its end and got all its replies. */
    val isComplete: Boolean get() = unanswered == 0L && failedClients == 0

    private companion object {
        const val BUSY = 0.9
        const val LATE_MS = 10.0
        const val PERCENT = 100
    }
}

/** To be called when the clients have ended. */
internal fun runHealth(options: Options, threads: List<ClientThread>, clock: RunClock, cpuNanos: Long): RunHealth {
    val elapsedNanos = clock.elapsedNanos.coerceAtLeast(1)
    val clients = threads.flatMap { it.clients }
    return RunHealth(
        unanswered = clients.sumOf { it.unanswered },
        lost = clients.sumOf { it.lost },
        unsent = threads.sumOf { it.arrivals?.unsent ?: 0 },
        omitted = threads.sumOf { thread -> thread.recorders.sumOf { it.omitted } },
        failedClients = clients.count { it.failure != null },
        cpuS = cpuNanos.toDouble() / RunClock.NANOS_PER_SECOND,
        loopUtilization = threads.maxOf { it.utilization(elapsedNanos) },
        loopLagP90Ms = threads.maxOf { it.lag.p90Ms },
        loopLagMaxMs = threads.maxOf { it.lag.maxMs },
        arrivals = options.pacing.openRatePerS?.let { ratePerS ->
            ArrivalTest.of(SentTimes.merge(threads.map { it.sentTimes }), ratePerS)
        },
    )
}
