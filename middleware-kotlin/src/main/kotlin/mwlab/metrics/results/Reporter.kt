package mwlab.metrics.results

import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import mwlab.metrics.Metrics
import mwlab.metrics.stats.WindowStats
import mwlab.net.EventLoop
import java.io.IOException
import java.nio.file.Path
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Collects the metrics once a second, on a thread of its own, and writes them if [directory] is given.
 *
 * [collect] until all is over, then [finish], then [close]; [read] is thread-safe until then.
 *
 * @param configuration what the summary says of the options.
 */
class Reporter(
    private val metrics: Metrics,
    private val configuration: Map<String, Any?>,
    private val version: String,
    directory: Path?,
) : AutoCloseable {
    /** Why results could not be written, if so; the middleware serves on. */
    @Volatile
    var failure: IOException? = null
        private set

    private val thread = EventLoop("metrics")
    private val writer = directory?.let { ResultsWriter(it, metrics) }
    private var jvmBefore = JvmFacts.now()

    /** Collects and writes second by second, until cancelled. */
    suspend fun collect() = withContext(thread) {
        var rounds = 0
        while (true) {
            delay(untilNextSecond())
            append(metrics.collect())
            if (rounds++ % ROUNDS_PER_SUMMARY == 0) write { it.replaceSummary(summary(isCleanShutdown = false)) }
        }
    }

    /** Writes what is left, once nothing is recorded any more and [collect] has ended. Suspends until the files are complete. */
    suspend fun finish(isClean: Boolean) = withContext(thread) {
        append(metrics.collectLast())
        write { it.writeBins() }
        write { it.replaceSummary(summary(isClean)) }
        write { it.close() }
    }

    override fun close() = thread.close()

    /** What [block] makes of the run so far; it must not keep the metrics. */
    suspend fun <T> read(block: (Metrics) -> T): T = withContext(thread) { block(metrics) }

    /** The run so far, as in `summary.json`. */
    suspend fun summary(): Map<String, Any?> = withContext(thread) { summary(isCleanShutdown = false) }

    private fun summary(isCleanShutdown: Boolean) = Summary.of(metrics, configuration, version, isCleanShutdown)

    private fun append(windows: List<WindowStats>) {
        val jvm = JvmFacts.now()
        write { it.append(windows, jvm.since(jvmBefore)) }
        jvmBefore = jvm
    }

    private fun write(action: (ResultsWriter) -> Unit) {
        if (writer == null || failure != null) return
        try {
            action(writer)
        } catch (unwritable: IOException) {
            failure = unwritable
        }
    }

    private fun untilNextSecond() =
        1.seconds - (System.currentTimeMillis() % MILLIS_PER_S).milliseconds + AFTER_THE_SECOND

    private companion object {
        const val ROUNDS_PER_SUMMARY = 5
        const val MILLIS_PER_S = 1000L

        /** The net threads close a second with the first event after it. */
        val AFTER_THE_SECOND = 20.milliseconds
    }
}
