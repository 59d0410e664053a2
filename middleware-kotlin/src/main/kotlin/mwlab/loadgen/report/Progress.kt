package mwlab.loadgen.report

import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Options
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.workload.requestsPerClient
import mwlab.net.NanoClock
import java.io.PrintStream
import java.util.Locale
import kotlin.math.max
import kotlin.math.min

/** memtier's progress line on stderr, rewritten once a second, and messages between its rewritings. Thread-safe. */
internal class Progress(
    private val err: PrintStream,
    private val options: Options,
    val runNumber: Int,
    private val clock: NanoClock = NanoClock.SYSTEM,
) {
    private var previous = LiveTotals.NONE
    private var previousNanos = 0L
    private var seconds = 0
    private var lineIsOpen = false

    /** A line of its own. */
    @Synchronized
    fun message(text: String) {
        if (lineIsOpen) err.println()
        lineIsOpen = false
        err.println(text)
    }

    /** Nanoseconds until [tick] is to be called again. */
    fun untilNextTick(limit: RunLimit): Long =
        max(limit.startNanos + (seconds + 1) * RunClock.NANOS_PER_SECOND - clock.nanos(), 1)

    /** Rewrites the line; [threads] are those still at work. */
    @Synchronized
    fun tick(totals: LiveTotals, threads: Int, limit: RunLimit) {
        val now = clock.nanos()
        if (now < limit.startNanos) return
        val sinceStart = (now - limit.startNanos) / NANOS_PER_SECOND
        val sincePrevious = (now - max(previousNanos, limit.startNanos)) / NANOS_PER_SECOND
        seconds = sinceStart.toInt()
        err.print(line(totals, threads, sinceStart, sincePrevious))
        err.flush()
        lineIsOpen = true
        previous = totals
        previousNanos = now
    }

    /** Says that the user wants no more. */
    fun interrupted(limit: RunLimit) {
        val seconds = ((clock.nanos() - limit.startNanos).coerceAtLeast(0) / NANOS_PER_SECOND).fixed(1)
        message("[RUN #$runNumber] Interrupted by user (Ctrl+C) after $seconds secs, stopping threads...")
    }

    /** Leaves the line as it stands. */
    @Synchronized
    fun finish() {
        err.print("\n\n")
        lineIsOpen = false
    }

    private fun line(totals: LiveTotals, threads: Int, sinceStart: Double, sincePrevious: Double): String {
        val replies = totals.replies - previous.replies
        val errors = if (totals.connectionErrors > 0) " %d conn errors".format(totals.connectionErrors) else ""
        return "[RUN #%d %.0f%%, %3d secs] %2d threads %2d conns%s: ".format(
            Locale.ROOT,
            runNumber,
            percentDone(totals, sinceStart),
            sinceStart.toInt(),
            threads,
            options.load.clients,
            errors,
        ) + "%11d ops, %7.0f (avg: %7.0f) ops/sec, %s/sec (avg: %s/sec), %5.2f (avg: %5.2f) msec latency\r".format(
            Locale.ROOT,
            totals.replies,
            replies / max(sincePrevious, SHORTEST_S),
            totals.replies / max(sinceStart, SHORTEST_S),
            size((totals.bytes - previous.bytes) / max(sincePrevious, SHORTEST_S)),
            size(totals.bytes / max(sinceStart, SHORTEST_S)),
            meanMs(totals.sumUs - previous.sumUs, replies),
            meanMs(totals.sumUs, totals.replies),
        )
    }

    private fun percentDone(totals: LiveTotals, sinceStart: Double): Double {
        val share = when {
            options.load.testTimeS > 0 -> sinceStart / options.load.testTimeS
            else -> totals.replies.toDouble() / (requestsPerClient(options) * options.load.connections)
        }
        return min(share, 1.0) * PERCENT
    }

    private fun meanMs(sumUs: Long, count: Long): Double = if (count == 0L) 0.0 else sumUs / US_PER_MS / count

    private fun size(bytes: Double): String = when {
        bytes >= GIB -> "%.2fGB".format(Locale.ROOT, bytes / GIB)
        bytes >= MIB -> "%.2fMB".format(Locale.ROOT, bytes / MIB)
        else -> "%.2fKB".format(Locale.ROOT, bytes / KIB)
    }

    private companion object {
        const val NANOS_PER_SECOND = 1e9
        const val PERCENT = 100
        const val US_PER_MS = 1000.0
        const val SHORTEST_S = 1e-3
        const val KIB = 1024.0
        const val MIB = KIB * 1024
        const val GIB = MIB * 1024
    }
}
