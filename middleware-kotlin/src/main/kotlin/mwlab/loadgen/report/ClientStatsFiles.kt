package mwlab.loadgen.report

import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.measure.fixed
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunResult
import java.io.File

/** The files of `--client-stats`: one of each client, with what it did in each second. */
internal class ClientStatsFiles(private val prefix: String) {
    /** Writes the files of one run, numbered from 1; threads and clients count from 0. */
    fun write(run: RunResult, number: Int) {
        run.clients.forEachIndexed { thread, clients ->
            clients.forEachIndexed { client, seconds ->
                File("$prefix-$number-$thread-$client.csv").writeText(text(seconds))
            }
        }
    }

    private fun text(seconds: List<SecondStats>): String = buildString {
        appendLine("Per-Second Benchmark Data")
        appendLine(HEADER)
        seconds.forEachIndexed { second, stats ->
            val get = stats[Operation.GET]
            appendLine("$second,${common(stats[Operation.SET])},${common(get)},${get.misses},${get.hits},0,0.000000")
        }
        val all = SecondStats().also { sum -> seconds.forEach { sum += it } }
        appendDistribution("GET", all[Operation.GET])
        appendDistribution("SET", all[Operation.SET])
        appendDistribution("WAIT", OperationStats())
    }

    private fun common(stats: OperationStats): String {
        val meanS = if (stats.count == 0L) 0.0 else stats.sumUs / stats.count / US_PER_S
        return "${stats.count},${meanS.fixed(6)},${stats.bytesTx + stats.bytesRx},${stats.bytesTx},${stats.bytesRx}"
    }

    private fun StringBuilder.appendDistribution(name: String, stats: OperationStats) {
        append("\nFull-Test $name Latency\nLatency (<= msec),Percent\n")
        for (step in Latencies.distribution(stats.responseTimes.toHistogram())) {
            append("${step.ms.fixed(3).padStart(8)},${step.percent.fixed(3)}\n")
        }
    }

    private companion object {
        const val HEADER =
            "Second,SET Requests,SET Average Latency,SET Total Bytes,SET Total Bytes TX,SET Total Bytes RX," +
                "GET Requests,GET Average Latency,GET Total Bytes,GET Total Bytes TX,GET Total Bytes RX," +
                "GET Misses,GET Hits,WAIT Requests,WAIT Average Latency"
        const val US_PER_S = 1e6
    }
}
