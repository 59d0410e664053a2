package mwlab.loadgen.measure

/** What happened in one second of a run: replies count in the second in which they arrived. Not thread-safe. */
internal class SecondStats {
    private val operations = Array(Operation.entries.size) { OperationStats() }
    var connectionErrors = 0L
        private set

    operator fun get(operation: Operation): OperationStats = operations[operation.ordinal]

    /** All kinds of requests together. */
    fun total(): OperationStats = OperationStats().also { sum ->
        operations.forEach { sum += it }
        sum.pack()
    }

    fun recordConnectionError() {
        connectionErrors++
    }

    operator fun plusAssign(other: SecondStats) {
        for (operation in Operation.entries) this[operation] += other[operation]
        connectionErrors += other.connectionErrors
    }

    fun pack() = operations.forEach { it.pack() }
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
