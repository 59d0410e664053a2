package mwlab.loadgen.workload

import mwlab.loadgen.options.Options
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.request.TraceEntry
import mwlab.memcached.MAX_KEY_BYTES
import java.io.BufferedReader
import java.io.File
import java.io.IOException
import java.util.zip.GZIPInputStream

/** A trace that cannot be replayed; [message] names file and line. */
class TraceException(message: String, cause: Throwable? = null) : IOException(message, cause)

/** The options of a run that replays a trace of which this is known; each client's share of it is a mean, rounded up. */
internal fun Options.replaying(trace: Trace.Summary) = copy(
    load = if (load.testTimeS > 0) load else load.copy(requests = (trace.requests - 1) / load.connections + 1),
    values = trace.valueBytes?.let { values.copy(size = ValueSize.Range(it)) } ?: values,
)

/**
 * A file with one request per line, compressed if its name ends in `.gz`:
 * ```
 * time_s,operation,key,size
 * 0.000,set,user:1,120
 * 0.013,get,user:1,
 * ```
 * Times count from the start and do not descend; the size is that of a value to store, and ignored otherwise.
 *
 * @param speed divides all times
 */
internal class Trace(private val file: File, private val speed: Double) {
    /**
     * What the whole trace is like. Reading it once before anything is sent finds all that is wrong with it.
     *
     * @property valueBytes smallest and largest value to store; null if there is none
     */
    class Summary(val requests: Long, val valueBytes: IntRange?)

    /** @throws IOException if the file cannot be read; a [TraceException] if a line is wrong or there are no requests */
    fun check(): Summary {
        var requests = 0L
        var (smallest, largest) = Int.MAX_VALUE to -1
        forEach { entry ->
            requests++
            if (entry.operation.storesValue) {
                smallest = minOf(smallest, entry.valueBytes)
                largest = maxOf(largest, entry.valueBytes)
            }
        }
        if (requests == 0L) throw TraceException("$file: no requests.")
        return Summary(requests, if (largest < 0) null else smallest..largest)
    }

    /** Calls [action] for each request while reading; nothing is held. Throws as [check] does. */
    fun forEach(action: (TraceEntry) -> Unit) {
        try {
            file.inputStream().use { raw ->
                val stream = if (file.name.endsWith(".gz")) GZIPInputStream(raw, READ_BYTES) else raw
                readAll(stream.bufferedReader(), action)
            }
        } catch (told: TraceException) {
            throw told
        } catch (unreadable: IOException) {
            throw TraceException("cannot read $file: ${unreadable.message}", unreadable)
        }
    }

    private fun readAll(reader: BufferedReader, action: (TraceEntry) -> Unit) {
        if (reader.readLine() != HEADER) throw TraceException("$file:1: the first line must be \"$HEADER\".")
        var number = 1
        var previousNanos = 0L
        while (true) {
            val line = reader.readLine() ?: return
            number++
            val entry =
                read(line, previousNanos) { throw TraceException("$file:$number: $it: \"${line.take(SHOWN)}\".") }
            previousNanos = entry.sinceStartNanos
            action(entry)
        }
    }

    private inline fun read(line: String, previousNanos: Long, fail: (String) -> Nothing): TraceEntry {
        val fields = line.split(',')
        if (fields.size != FIELDS) fail("$FIELDS fields expected, not ${fields.size}")
        val timeS = fields[0].toDoubleOrNull()
        if (timeS == null || timeS < 0 || !(timeS / speed <= LONGEST_S)) fail("time_s must be a number not below zero")
        val nanos = (timeS / speed * RunClock.NANOS_PER_SECOND).toLong()
        if (nanos < previousNanos) fail("time_s must not descend")
        val operation = operations[fields[1]] ?: fail("operation must be one of ${operations.keys.joinToString(" ")}")
        val key = fields[2].toByteArray()
        if (key.size !in 1..MAX_KEY_BYTES || key.any { it in 0..BLANK || it == DELETE }) {
            fail("key must have 1 to ${MAX_KEY_BYTES} bytes, none of them a blank or control character")
        }
        val bytes = if (operation.storesValue) fields[3].toIntOrNull() ?: -1 else 0
        if (bytes !in 0..MOST_VALUE_BYTES) fail("size must be a number of bytes up to $MOST_VALUE_BYTES")
        return TraceEntry(nanos, operation, key, bytes)
    }

    private companion object {
        const val HEADER = "time_s,operation,key,size"
        const val FIELDS = 4
        const val SHOWN = 80
        const val READ_BYTES = 1 shl 16
        const val BLANK = ' '.code
        const val DELETE = 127.toByte()
        const val LONGEST_S = 1e8
        const val MOST_VALUE_BYTES = 1 shl 27

        /** All but cas, which needs a unique that no trace can know. */
        val operations = (Operation.OF_OBJECTS - Operation.CAS).associateBy { it.word }
    }
}
