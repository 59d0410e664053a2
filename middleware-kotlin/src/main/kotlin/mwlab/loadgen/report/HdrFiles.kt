package mwlab.loadgen.report

import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunResult
import org.HdrHistogram.Histogram
import java.io.File
import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale

/** The files of `--hdr-file-prefix`: for each kind of request, percentiles to read and a log to decode. */
internal class HdrFiles(private val prefix: String, private val report: (String) -> Unit) {
    /** Writes the files of one run, numbered from 1. */
    fun write(run: RunResult, number: Int) {
        write("Full Run", "FULL_RUN", run.total.total(), run, number)
        for (operation in Operation.entries) {
            write(operation.title, "${operation.title}_command_run", run.total[operation], run, number)
        }
    }

    private fun write(what: String, infix: String, stats: OperationStats, run: RunResult, number: Int) {
        val histogram = stats.responseTimes.toHistogram()
        if (histogram.totalCount == 0L) return
        val title = "$what command HDR latency histogram results"
        val text = File("${prefix}_${infix}_$number.txt")
        report("Writing $title to $text...")
        text.writeText(percentileText(histogram))
        val log = File("${prefix}_${infix}_$number.hgrm")
        report("Writing $title in HistogramLogProcessor format to $log...")
        log.writeText(logText(title, histogram, run))
    }

    private fun percentileText(histogram: Histogram): String = buildString {
        appendLine("       Value   Percentile   TotalCount 1/(1-Percentile)\n")
        for (step in Latencies.distribution(histogram)) {
            val share = step.percent / Latencies.MOST_PERCENT
            val inverse = if (share < 1) (1 / (1 - share)).fixed(2) else "inf"
            val cells = listOf(step.ms.fixed(2), share.fixed(6), step.count.toString(), inverse)
            appendLine(cells.joinToString(" ") { it.padStart(WIDTH) })
        }
        val (mean, stddev) = Latencies.meanMs(histogram) to Latencies.stddevMs(histogram)
        appendFooter("Mean    ", mean.fixed(3), "StdDeviation   ", stddev.fixed(3))
        appendFooter("Max     ", Latencies.maxMs(histogram).fixed(3), "Total count    ", "${histogram.totalCount}")
        appendFooter("Buckets ", "$BUCKETS", "SubBuckets     ", "$SUB_BUCKETS")
    }

    private fun StringBuilder.appendFooter(left: String, leftValue: String, right: String, rightValue: String) {
        appendLine("#[$left= ${leftValue.padStart(WIDTH)}, $right= ${rightValue.padStart(WIDTH)}]")
    }

    private fun logText(title: String, histogram: Histogram, run: RunResult): String {
        val start = epochSeconds(run.period.startEpochMs)
        val end = epochSeconds(run.period.startEpochMs + run.period.durationMs)
        val date = DATE.format(Instant.ofEpochMilli(run.period.startEpochMs).atOffset(ZoneOffset.UTC))
        return """
            |#[$title]
            |#[Histogram log format version 1.2]
            |#[StartTime: $start (seconds since epoch), $date]
            |"StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"
            |$start,$end,${histogram.maxValue}.0,${JsonReport.encode(histogram)}
            |
        """.trimMargin()
    }

    private fun epochSeconds(epochMs: Long) =
        "${epochMs / MS_PER_S}.${(epochMs % MS_PER_S).toString().padStart(3, '0')}"

    private companion object {
        /** memtier's date has no day of the month. */
        val DATE: DateTimeFormatter = DateTimeFormatter.ofPattern("EEE MMM HH:mm:ss 'GMT' yyyy", Locale.ROOT)
        const val MS_PER_S = 1000
        const val WIDTH = 12

        /** Inner sizes of a histogram from 10 us to 600 s with two significant digits. */
        const val BUCKETS = 20
        const val SUB_BUCKETS = 256
    }
}
