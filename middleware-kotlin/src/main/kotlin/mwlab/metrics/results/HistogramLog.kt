package mwlab.metrics.results

import mwlab.metrics.Metrics
import mwlab.metrics.stats.TimeCounts
import mwlab.metrics.stats.TypeStats
import mwlab.metrics.stats.WindowStats
import org.HdrHistogram.Histogram
import org.HdrHistogram.HistogramLogWriter
import java.nio.file.Files
import java.nio.file.Path

/**
 * `histograms.hlog`: one interval histogram per second and tag, in microseconds, readable by every HdrHistogram.
 *
 * The tags are `<time>/<request type>` and `server_time/<ip:port>/<request type>`. Not thread-safe; who opened it closes it.
 */
internal class HistogramLog(directory: Path, private val metrics: Metrics) : AutoCloseable {
    private val stream = Files.newOutputStream(directory.resolve("histograms.hlog")).buffered()
    private val log = HistogramLogWriter(java.io.PrintStream(stream, false))

    /** The histogram that is written next. */
    private val histogram = Histogram(TimeCounts.DIGITS)

    init {
        log.outputComment("[values in microseconds, timestamps in seconds since 1970]")
        log.outputLogFormatVersion()
        log.outputLegend()
    }

    /** Appends the histograms of [window]. */
    fun append(window: WindowStats) {
        window.forEachUsedType { type, stats ->
            for (time in TypeStats.HISTOGRAM_TIMES) append("${time.column}/$type", stats.distribution(time), window)
            metrics.serverNames.forEachIndexed { server, name ->
                append("server_time/$name/$type", stats.serverDistribution(server), window)
            }
        }
    }

    fun flush() = stream.flush()

    override fun close() = stream.close()

    private fun append(tag: String, times: TimeCounts, window: WindowStats) {
        if (times.count == 0L) return
        times.copyTo(histogram)
        histogram.tag = tag
        val start = window.epochSecond.toDouble()
        log.outputIntervalHistogram(start, start + 1, histogram, 1.0)
    }
}
