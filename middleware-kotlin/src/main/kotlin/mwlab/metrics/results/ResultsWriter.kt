package mwlab.metrics.results

import mwlab.json.json
import mwlab.metrics.Metrics
import mwlab.metrics.stats.WindowStats
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING

/**
 * Writes the results into a directory as they come: what is lost in a crash is the last seconds.
 *
 * Without instrumentation the summary is all there is. Not thread-safe: called by whoever collects the metrics. Files of an earlier run are overwritten.
 */
internal class ResultsWriter(private val directory: Path, private val metrics: Metrics) : AutoCloseable {
    init {
        Files.createDirectories(directory)
    }

    private val tables = if (metrics.instrumentation) CsvFiles(directory, metrics) else null
    private val histograms = if (metrics.instrumentation) HistogramLog(directory, metrics) else null

    /** Appends the [windows], and makes them safe; [jvm] is what was used since the last time, and counts for the last one. */
    fun append(windows: List<WindowStats>, jvm: JvmFacts) {
        for (window in windows) {
            tables?.append(window, jvm.takeIf { window === windows.last() })
            histograms?.append(window)
        }
        tables?.flush()
        histograms?.flush()
    }

    /** Replaces the summary; readers see the old one or the new one. */
    fun replaceSummary(summary: Map<String, Any?>) {
        val next = directory.resolve("summary.json.next")
        Files.writeString(next, json(summary) + "\n")
        Files.move(next, directory.resolve("summary.json"), ATOMIC_MOVE, REPLACE_EXISTING)
    }

    /** Writes the fixed bins; once, at the end. */
    fun writeBins() {
        if (!metrics.instrumentation) return
        CsvFile(directory, "bins.csv", listOf("time", "request_type", "bin_start_ms", "count")).use { file ->
            metrics.takeBins().forEach(metrics.serverNames) { time, type, start, count ->
                file.row(listOf(time, type, start.inWholeNanoseconds / NANOS_PER_MS, count))
            }
        }
    }

    override fun close() {
        tables?.close()
        histograms?.close()
    }

    private companion object {
        const val NANOS_PER_MS = 1e6
    }
}
