package mwlab.loadgen.report

import mwlab.json.JsonWriter
import mwlab.loadgen.arrivals.ArrivalTest
import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.options.Options
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunResult
import mwlab.loadgen.result.TestResult

/** What this generator knows and memtier does not: everything under [JsonReport.EXTRAS]. */
internal class Extras(private val options: Options) {
    fun write(json: JsonWriter, result: TestResult) {
        json.number("Format version", FORMAT_VERSION)
        json.text("Generator", GENERATOR)
        json.text("Java", System.getProperty("java.version"))
        writeArrivals(json)
        writeMix(json)
        json.text("Error", result.error)
        json.array("Runs") { result.runs.forEach { run -> json.obj { writeRun(json, run) } } }
    }

    private fun writeArrivals(json: JsonWriter) = json.obj("Arrivals") {
        val ratePerS = options.pacing.openRatePerS
        if (ratePerS == null) {
            json.text("Process", "closed")
            json.number("Think time", options.pacing.thinkTime.inWholeMicroseconds / US_PER_MS, 3)
        } else {
            json.text("Process", "poisson")
            json.number("Rate", ratePerS, 3)
        }
    }

    private fun writeMix(json: JsonWriter) {
        val queues = options.mix.queues ?: return
        val weights = options.mix.weights
        json.obj("Mix") { weights.forEach { (operation, weight) -> json.number(operation.word, weight.toLong()) } }
        json.number("Queues", queues.count.toLong())
        json.number("Receivers", queues.receivers.toLong())
    }

    private fun writeRun(json: JsonWriter, run: RunResult) {
        writeErrors(json, run)
        json.number("Unanswered requests", run.health.unanswered)
        json.number("Lost requests", run.health.lost)
        json.number("Unsent arrivals", run.health.unsent)
        json.number("Omitted sends", run.health.omitted)
        json.number("Failed clients", run.health.failedClients.toLong())
        json.number("CPU seconds", run.health.cpuS, 3)
        json.number("Loop utilization", run.health.loopUtilization, 4)
        json.number("Loop lag p90", run.health.loopLagP90Ms, 3)
        json.number("Loop lag max", run.health.loopLagMaxMs, 3)
        json.flag("Generator limited", run.health.isGeneratorLimited)
        run.health.arrivals?.let { writeArrivalTest(json, it) }
        if (options.pacing.setsTimes) writeIntended(json, run)
        writeCourse(json, run)
    }

    private fun writeArrivalTest(json: JsonWriter, test: ArrivalTest) = json.obj("Sent arrivals") {
        json.number("Sent over asked", test.rateRatio, 4)
        test.gaps?.let { gaps ->
            json.number("Gaps in each sum", gaps.stages.toLong())
            json.number("Sums of gaps tested", gaps.n.toLong())
            json.number("Anderson-Darling statistic", gaps.statistic, 4)
            json.number("p-value", gaps.pValue, 4)
            json.number("Lag-1 autocorrelation", gaps.lag1, 4)
            json.number("95 % bound of autocorrelation", gaps.lag1Bound, 4)
        }
        json.flag("As asked", test.isAsAsked)
    }

    private fun writeErrors(json: JsonWriter, run: RunResult) = json.obj("Error replies") {
        (Operation.OF_MEMTIER + run.further).forEach { json.number(it.row, run.total[it].errors) }
        json.obj("Lines") { run.errorLines.forEach { (line, count) -> json.number(line, count) } }
        json.obj("Time-Serie") {
            run.seconds.forEachIndexed { second, stats ->
                val errors = Operation.entries.sumOf { stats[it].errors }
                if (errors > 0) json.number("$second", errors)
            }
        }
    }

    /** Response times from the moment at which a request was due, whether or not it could be sent then. */
    private fun writeIntended(json: JsonWriter, run: RunResult) = json.obj("Latency from intended send time") {
        val rows = Operation.entries.map { it.row to run.total[it] } + ("Totals" to run.total.total())
        for ((name, stats) in rows) {
            val histogram = stats.intendedResponseTimes.toHistogram()
            if (histogram.totalCount == 0L) continue
            json.obj(name) {
                json.number("Average Latency", Latencies.meanMs(histogram), 3)
                json.number("Min Latency", Latencies.minMs(histogram), 3)
                json.number("Max Latency", Latencies.maxMs(histogram), 3)
                for (percentile in options.output.percentiles.sorted()) {
                    json.number("p$percentile", Latencies.percentileMs(histogram, percentile), 3)
                }
                json.text("Compressed Histogram", JsonReport.encode(histogram))
            }
        }
    }

    companion object {
        /** Name and version of this generator, as in `--version`. */
        val GENERATOR = "middleware-lab " + (Extras::class.java.`package`.implementationVersion ?: "development")
        private const val FORMAT_VERSION = 1L
        private const val US_PER_MS = 1000.0
    }
}
