package mwlab.loadgen.arrivals

/** When requests of an open loop are due. Not thread-safe. */
internal fun interface ArrivalTimes {
    /** Nanoseconds from the start of the run to the next arrival, never less than before; null: there are no more. */
    fun next(): Long?
}

/**
 * One thread's part of the arrivals: the [number]th of every [threads], so that all threads together make the very
 * arrivals that were asked for, whatever their distribution.
 */
internal class DealtArrivals(private val all: ArrivalTimes, private val number: Int, private val threads: Int) :
    ArrivalTimes {
    private var skip = number

    override fun next(): Long? {
        repeat(skip) { all.next() ?: return null }
        skip = threads - 1
        return all.next()
    }
}
