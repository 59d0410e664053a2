package mwlab.loadgen.measure

import mwlab.loadgen.request.Operation

/** What happened in one second of a run: replies count in the second in which they arrived. Not thread-safe. */
internal class SecondStats {
    private val operations = Array(Operation.entries.size) { OperationStats() }
    private val unsentWaits = TimeHistogram()

    /** All kinds of requests together. */
    val slices = Slices()
    var connectionErrors = 0L
        private set

    operator fun get(operation: Operation): OperationStats = operations[operation.ordinal]

    /** All kinds of requests together. */
    fun total(): OperationStats = OperationStats().also { sum ->
        operations.forEach { sum += it }
        sum.intendedResponseTimes += unsentWaits
        sum.pack()
    }

    /** A request that was due and never sent, with the time that it had waited by then: its response time is longer yet. */
    fun recordUnsent(waitUs: Long) = unsentWaits.record(waitUs)

    fun recordConnectionError() {
        connectionErrors++
    }

    operator fun plusAssign(other: SecondStats) {
        for (operation in Operation.entries) this[operation] += other[operation]
        slices += other.slices
        unsentWaits += other.unsentWaits
        connectionErrors += other.connectionErrors
    }

    fun pack() {
        operations.forEach { it.pack() }
        unsentWaits.pack()
    }
}

/** Adds up what several connections or threads measured, second by second. */
internal fun mergeSeconds(parts: List<List<SecondStats>>): List<SecondStats> {
    val length = parts.maxOfOrNull { it.size } ?: 0
    return List(length) { second ->
        SecondStats().also { sum ->
            parts.forEach { part -> part.getOrNull(second)?.let { sum += it } }
            sum.pack()
        }
    }
}
