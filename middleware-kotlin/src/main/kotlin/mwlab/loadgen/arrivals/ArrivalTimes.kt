package mwlab.loadgen.arrivals

/** When requests of an open loop are due. Not thread-safe. */
internal fun interface ArrivalTimes {
    /** Nanoseconds from the start of the run to the next arrival, never less than before; null: there are no more. */
    fun next(): Long?
}
