package mwlab.loadgen.report

import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Options
import mwlab.loadgen.workload.requestsPerClient

/** The tables that memtier prints on stdout or into `--out-file`. */
internal class TextReport(private val options: Options, private val out: Appendable) {
    private val percentiles = options.output.percentiles
    private var typeWidth = TYPE_WIDTH

    /** Writes everything; once. */
    fun write(sections: List<Section>) {
        out.append("%-9d Threads\n".format(options.load.threads))
        out.append("%-9d Connections per thread\n".format(options.load.clients))
        if (options.load.testTimeS > 0) {
            out.append("%-9d Seconds\n".format(options.load.testTimeS))
        } else {
            out.append("%-9d Requests per client\n".format(requestsPerClient(options)))
        }
        sections.forEach { writeSection(it) }
    }

    private fun writeSection(section: Section) {
        typeWidth = section.rows.maxOf { it.name.length }.coerceAtLeast(TYPE_WIDTH)
        val header = line("Type", "Ops/sec", "Hits/sec", "Misses/sec", latencyTitles(), "KB/sec")
        out.append("\n\n${section.title}\n")
        out.append("=".repeat(header.length)).append('\n')
        out.append(header).append('\n')
        out.append("-".repeat(header.length)).append('\n')
        writeRow(section.sets, keys = null)
        writeRow(section.gets, keys = section.gets.rates)
        out.append(line("Waits", 0.0.fixed(2), NONE, NONE, latencyTitles().map { NONE }, NONE)).append('\n')
        section.further.forEach { (operation, row) -> writeRow(row, row.rates.takeIf { operation.canMiss }) }
        writeRow(section.totals, keys = section.totals.rates)
        if (!options.output.hideHistogram) writeDistributions(section)
    }

    private fun writeRow(row: Row, keys: Rates?) {
        val hits = keys?.hits?.fixed(2) ?: NONE
        val misses = keys?.misses?.fixed(2) ?: NONE
        out.append(
            line(row.name, row.rates.ops.fixed(2), hits, misses, latencies(row), row.rates.kb.fixed(2)),
        ).append('\n')
    }

    private fun latencyTitles(): List<String> = listOf("Avg. Latency") + percentiles.map { "p${shortest(it)} Latency" }

    private fun latencies(row: Row): List<String> {
        if (row.stats.count == 0L) return latencyTitles().map { NONE }
        val histogram = row.stats.responseTimes.toHistogram()
        val values = listOf(Latencies.meanMs(histogram)) + percentiles.map { Latencies.percentileMs(histogram, it) }
        return values.map { it.fixed(5) }
    }

    private fun line(
        type: String,
        ops: String,
        hits: String,
        misses: String,
        latencies: List<String>,
        kb: String,
    ): String = buildString {
        append(type.padEnd(typeWidth)).append(' ')
        for (cell in listOf(ops, hits, misses)) append(cell.padStart(WIDTH)).append(' ')
        for (cell in latencies) append(cell.padStart(LATENCY_WIDTH)).append(' ')
        append(kb.padStart(WIDTH)).append(' ')
    }

    private fun writeDistributions(section: Section) {
        out.append("\n\nRequest Latency Distribution\n")
        out.append("Type     <= msec         Percent\n")
        out.append("-".repeat(DISTRIBUTION_RULE)).append('\n')
        writeDistribution("SET", section.sets)
        out.append("---\n")
        writeDistribution("GET", section.gets)
        out.append("---\n")
        writeDistribution("WAIT", section.waits)
        for ((operation, row) in section.further) {
            out.append("---\n")
            writeDistribution(operation.title, row)
        }
    }

    private fun writeDistribution(name: String, row: Row) {
        for (step in Latencies.distribution(row.stats.responseTimes.toHistogram())) {
            out.append("${name.padEnd(6)} ${step.ms.fixed(3).padStart(8)} ${step.percent.fixed(3).padStart(WIDTH)}\n")
        }
    }

    private companion object {
        const val NONE = "---"
        const val TYPE_WIDTH = 7
        const val WIDTH = 12
        const val LATENCY_WIDTH = 15
        const val DISTRIBUTION_RULE = 72

        fun shortest(percentile: Double): String = percentile.toString().removeSuffix(".0")
    }
}
