package mwlab.loadgen.measure

import mwlab.loadgen.request.RunClock
import mwlab.net.EventLoop
import kotlin.math.max

/** How late an event loop wakes up for what is due: the error of its times, and the first sign of overload. */
internal class LoopLag(private val loop: EventLoop) {
    private val lags = TimeHistogram()
    private var maxNanos = 0L

    val p90Ms: Double get() = if (lags.isEmpty) 0.0 else Latencies.percentileMs(lags.toHistogram(), P90)
    val maxMs: Double get() = maxNanos / (US_PER_MS * RunClock.NANOS_PER_MICRO)

    /** Measures until cancelled; on the loop's thread. */
    suspend fun watch(): Nothing {
        var due = loop.clock.nanos()
        while (true) {
            due = max(due + INTERVAL_NANOS, loop.clock.nanos())
            loop.sleepUntil(due)
            val late = loop.clock.nanos() - due
            lags.record(late / RunClock.NANOS_PER_MICRO)
            maxNanos = max(maxNanos, late)
        }
    }

    private companion object {
        const val INTERVAL_NANOS = 50 * RunClock.NANOS_PER_MILLI
        const val P90 = 90.0
        const val US_PER_MS = 1000.0
    }
}
