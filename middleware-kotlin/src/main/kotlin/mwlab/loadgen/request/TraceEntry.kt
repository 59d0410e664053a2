package mwlab.loadgen.request

/** One request of a trace. */
internal class TraceEntry(val sinceStartNanos: Long, val operation: Operation, val key: ByteArray, val valueBytes: Int)
