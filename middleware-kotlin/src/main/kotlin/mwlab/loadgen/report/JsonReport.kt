package mwlab.loadgen.report

import mwlab.json.JsonLayout
import mwlab.json.JsonWriter
import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Options
import mwlab.loadgen.workload.requestsPerClient
import org.HdrHistogram.Histogram
import java.nio.ByteBuffer
import java.util.Base64

/** The JSON file of a test, as memtier 2.3.1 writes it, with what it does not know under one more key, [EXTRAS]. */
internal class JsonReport(private val options: Options, out: Appendable) {
    private val json = JsonWriter(out, JsonLayout.MEMTIER)
    private val percentiles = options.output.percentiles.sorted()

    /** Writes everything; once. */
    fun write(sections: List<Section>, extras: (JsonWriter) -> Unit) = json.obj {
        json.obj("configuration") { configurationOf(options).forEach { json.raw(it.name, it.json) } }
        writeRunInformation()
        sections.forEach { writeSection(it) }
        json.obj(EXTRAS) { extras(json) }
    }

    private fun writeRunInformation() = json.obj("run information") {
        json.number("Threads", options.load.threads.toLong())
        json.number("Connections per thread", options.load.clients.toLong())
        if (options.load.testTimeS > 0) {
            json.number("Seconds", options.load.testTimeS.toLong())
        } else {
            json.number("Requests per client", requestsPerClient(options))
        }
        json.number("Format version", FORMAT_VERSION)
    }

    private fun writeSection(section: Section) = json.obj(section.title) {
        json.obj("Runtime") {
            json.number("Start time", section.period.startEpochMs)
            json.number("Finish time", section.period.startEpochMs + section.period.durationMs)
            json.number("Total duration", section.period.durationMs)
            json.text("Time unit", "MILLISECONDS")
            json.flag("Interrupted", section.interrupted)
        }
        section.rows.forEach { writeRow(it) }
        if (!options.output.hideHistogram) {
            writeDistribution("SET", section.sets)
            writeDistribution("GET", section.gets)
            writeDistribution("WAIT", section.waits)
            section.further.forEach { (operation, row) -> writeDistribution(operation.title, row) }
        }
    }

    private fun writeRow(row: Row) = json.obj(row.name) {
        val histogram = row.stats.responseTimes.toHistogram()
        json.number("Count", row.stats.count)
        json.number("Ops/sec", row.rates.ops, 2)
        json.number("Hits/sec", row.rates.hits, 2)
        json.number("Misses/sec", row.rates.misses, 2)
        json.number("Connection Errors/sec", row.rates.connectionErrors, 2)
        json.number("Connection Errors", row.connectionErrors)
        json.number("Latency", meanMs(row.stats), 3)
        json.number("Average Latency", meanMs(row.stats), 3)
        json.number("Accumulated Latency", row.stats.sumUs / US_PER_MS)
        json.number("Min Latency", Latencies.minMs(histogram), 3)
        json.number("Max Latency", Latencies.maxMs(histogram), 3)
        json.number("KB/sec", row.rates.kb, 2)
        json.number("KB/sec RX/TX", row.rates.kb, 2)
        json.number("KB/sec RX", row.rates.kbRx, 2)
        json.number("KB/sec TX", row.rates.kbTx, 2)
        json.obj("Time-Serie") {
            row.series.forEachIndexed { second, stats -> json.obj("$second") { writeSecond(stats) } }
        }
        json.obj("Percentile Latencies") {
            writePercentiles(histogram, decimalsOfKey = 3)
            json.obj("Histogram log format") { json.text("Compressed Histogram", encode(histogram)) }
        }
    }

    private fun writeSecond(stats: OperationStats) {
        json.number("Bytes RX", stats.bytesRx)
        json.number("Bytes TX", stats.bytesTx)
        json.number("Count", stats.count)
        if (stats.count == 0L) return
        json.number("Average Latency", meanMs(stats), 3)
        json.number("Accumulated Latency", stats.sumUs / US_PER_MS)
        json.number("Min Latency", stats.minUs.toDouble() / US_PER_MS, 3)
        json.number("Max Latency", stats.maxUs.toDouble() / US_PER_MS, 3)
        writePercentiles(stats.responseTimes.toHistogram(), decimalsOfKey = 2)
    }

    /** memtier cuts its keys to six characters; a percentile that would make two keys the same is written in full. */
    private fun writePercentiles(histogram: Histogram, decimalsOfKey: Int) {
        for (percentile in percentiles) {
            val cut = "p${percentile.fixed(decimalsOfKey)}".take(KEY_LENGTH)
            val isExact = cut.drop(1).toDouble() == percentile
            json.number(if (isExact) cut else "p$percentile", Latencies.percentileMs(histogram, percentile), 3)
        }
    }

    private fun writeDistribution(name: String, row: Row) = json.array(name) {
        for (step in Latencies.distribution(row.stats.responseTimes.toHistogram())) {
            json.obj {
                json.number("<=msec", step.ms, 3)
                json.number("percent", step.percent, 3)
            }
        }
    }

    companion object {
        const val EXTRAS = "middleware-lab"
        private const val FORMAT_VERSION = 2L
        private const val KEY_LENGTH = 6
        private const val US_PER_MS = 1000L

        /** Whole microseconds, as memtier has them. */
        private fun meanMs(stats: OperationStats): Double =
            if (stats.count == 0L) 0.0 else (stats.sumUs / stats.count).toDouble() / US_PER_MS

        /** HdrHistogram's V2 encoding, deflated, in base 64. */
        fun encode(histogram: Histogram): String {
            val buffer = ByteBuffer.allocate(histogram.neededByteBufferCapacity)
            val length = histogram.encodeIntoCompressedByteBuffer(buffer)
            return Base64.getEncoder().encodeToString(buffer.array().copyOf(length))
        }
    }
}
