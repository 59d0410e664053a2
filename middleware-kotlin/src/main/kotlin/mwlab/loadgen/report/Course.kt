package mwlab.loadgen.report

import mwlab.json.JsonWriter
import mwlab.loadgen.measure.Slices
import mwlab.loadgen.measure.TimeHistogram
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunResult

/**
 * How a run went, so that any part of it can be cut out: requests and response times in microseconds by slices, and the
 * histograms of every kind of request by second: how far the largest time of each bin in microseconds lies above that
 * of the one before, which compresses to less than half, and how many requests the bin holds.
 */
internal fun writeCourse(json: JsonWriter, run: RunResult) {
    json.obj("Slices") {
        json.number("Length", Slices.LENGTH_MS)
        json.raw("Counts", line(run.seconds.flatMap { it.slices.replies }))
        json.raw("Accumulated Latencies", line(run.seconds.flatMap { it.slices.responseTimesUs }))
    }
    json.obj("Histograms") {
        for (operation in Operation.OF_MEMTIER + run.further) {
            json.array(operation.row) {
                run.seconds.forEach { json.raw(null, histogram(it[operation].responseTimes)) }
            }
        }
    }
}

private fun histogram(times: TimeHistogram): String {
    val bins = times.bins()
    val steps = (listOf(0L) + bins.map { it.edgeUs }).zipWithNext { before, edge -> edge - before }
    return line(listOf(line(steps), line(bins.map { it.count })))
}

private fun line(values: List<Any>) = values.joinToString(",", "[", "]")
