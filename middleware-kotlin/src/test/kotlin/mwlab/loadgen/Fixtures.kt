package mwlab.loadgen

import mwlab.loadgen.measure.OperationStats
import org.HdrHistogram.Histogram
import java.io.File
import java.nio.ByteBuffer
import java.util.Base64

/** Outputs of the real memtier_benchmark 2.3.1, as the Python tests use them. */
internal fun fixture(name: String): String = File("../tests/data/memtier/2.3.1/$name").readText()

internal fun decodeHistogram(base64: String): Histogram =
    Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0)

/** The histograms of a report in its order: sets, gets, waits, totals. */
internal fun histogramsOf(json: String): List<Histogram> =
    Regex(""""Compressed Histogram": "(.+)"""").findAll(json).map { decodeHistogram(it.groupValues[1]) }.toList()

/** The rows of a CSV file by the names of their columns. */
internal fun rowsOf(file: File): List<Map<String, String>> {
    val lines = file.readLines().map { it.split(',') }
    return lines.drop(1).map { lines.first().zip(it).toMap() }
}

/** Requests with the given response times, each a hit of one key if it is a get. */
internal fun statsOf(histogram: Histogram, keys: Int = 0, bytesTx: Int = 1, bytesRx: Int = 1) = OperationStats().apply {
    for (bucket in histogram.recordedValues()) {
        repeat(bucket.countAtValueIteratedTo.toInt()) { record(bucket.valueIteratedTo, keys, keys, bytesTx, bytesRx) }
    }
}
