package mwlab.loadgen.result

import mwlab.loadgen.client.ClientThread
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.measure.mergeSeconds
import mwlab.loadgen.options.Options
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.RunClock
import kotlin.math.max

/**
 * What one run measured.
 *
 * @property seconds all clients together; index is the second of the run
 * @property errorLines error lines that came as replies, and how often
 * @property clients per thread and client, seconds as above; empty unless asked for
 */
internal class RunResult(
    val period: RunPeriod,
    val seconds: List<SecondStats>,
    val clients: List<List<List<SecondStats>>>,
    val interrupted: Boolean,
    val health: RunHealth,
    val errorLines: Map<String, Long>,
) {
    /** All seconds together. */
    val total: SecondStats = SecondStats().also { sum -> seconds.forEach { sum += it } }

    /** Operations beyond memtier's that were used, also in vain. */
    val further: List<Operation> =
        Operation.OF_QUEUES.filter { operation -> seconds.any { it[operation].run { count + errors > 0 } } }

    val connectionErrors: Long get() = seconds.sumOf { it.connectionErrors }
    val opsPerS: Double get() = total.total().count * US_PER_S.toDouble() / period.durationUs

    /** Why this run does not count as a success, or null. */
    fun problem(): String? = when {
        seconds.all { it.total().count == 0L } -> "nothing was measured: no request was answered without an error."
        interrupted -> null
        health.failedClients > 0 -> "${health.failedClients} clients lost their connection before the end."
        health.unanswered > 0 -> "${health.unanswered} requests were not answered in time: the server hangs."
        else -> null
    }
}

/** When a run took place. */
internal class RunPeriod(val startEpochMs: Long, val durationUs: Long) {
    val durationMs: Long get() = durationUs / US_PER_MS
}

/** Puts together what the threads of a run that has ended measured. */
internal fun runResult(
    options: Options,
    threads: List<ClientThread>,
    clock: RunClock,
    cpuNanos: Long,
    interrupted: Boolean,
    errorLines: Map<String, Long>,
): RunResult {
    val health = runHealth(options, threads, clock, cpuNanos)
    val elapsedUs =
        elapsedNanos(options, threads, clock, endedItself = health.isComplete && !interrupted) / NANOS_PER_MICRO
    return RunResult(
        period = RunPeriod(clock.startEpochMs, durationUs = max(elapsedUs, 1)),
        seconds = mergeSeconds(threads.flatMap { it.recorders }.map { it.seconds }),
        clients = if (options.output.clientStats == null) emptyList() else threads.map { it.perClient() },
        interrupted = interrupted,
        health = health,
        errorLines = errorLines,
    )
}

/**
 * A run lasts until its last reply, a timed one at least its time, so that a server which falls silent does not look
 * fast. A run that was interrupted, or was given up, lasts until now.
 */
private fun elapsedNanos(options: Options, threads: List<ClientThread>, clock: RunClock, endedItself: Boolean): Long {
    val sinceStart = clock.elapsedNanos
    val untilLastReply = threads.flatMap { it.recorders }.maxOf { it.lastReplyNanos } - clock.startNanos
    val asked = options.load.testTimeS * RunClock.NANOS_PER_SECOND
    return if (endedItself || (asked > 0 && sinceStart >= asked)) max(untilLastReply, asked) else sinceStart
}

private const val NANOS_PER_MICRO = RunClock.NANOS_PER_MICRO
private const val US_PER_MS = 1_000L
private const val US_PER_S = 1_000_000L
