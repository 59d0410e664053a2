package mwlab.loadgen.workload

import mwlab.loadgen.arrivals.ArrivalTimes
import mwlab.loadgen.request.Operation
import mwlab.loadgen.request.TraceEntry
import java.io.IOException
import java.util.concurrent.ArrayBlockingQueue
import kotlin.concurrent.thread

/**
 * Deals the requests of a trace out to event loops, one to each in turn, and reads ahead while they run, but not far.
 *
 * A thread of its own reads. [close] ends it, also before the end of the trace.
 */
internal class TraceFeed(private val trace: Trace, loops: Int) : AutoCloseable {
    val shares = List(loops) { TraceShare() }

    /** Why the trace could not be read to its end, or null. */
    @Volatile
    var failure: IOException? = null
        private set

    private val reader = thread(isDaemon = true, name = "trace") {
        try {
            deal()
        } catch (_: InterruptedException) {
            // Closed: nobody wants the rest.
        }
    }

    private fun deal() {
        var number = 0L
        try {
            trace.forEach { shares[(number++ % shares.size).toInt()].put(it) }
        } catch (unreadable: IOException) {
            failure = unreadable
        }
        shares.forEach { it.put(TraceShare.END) }
    }

    override fun close() = reader.interrupt()
}

/** The part of a trace that one event loop replays; all but [put] is confined to that loop. */
internal class TraceShare : ArrivalTimes {
    private val ahead = ArrayBlockingQueue<TraceEntry>(READ_AHEAD)
    private val due = ArrayDeque<TraceEntry>()

    /** Appends a request; waits while enough are there. */
    fun put(entry: TraceEntry) = ahead.put(entry)

    /** Waits only if requests leave faster than the file can be read. */
    override fun next(): Long? {
        val entry = ahead.take()
        if (entry === END) return null
        due += entry
        return entry.sinceStartNanos
    }

    /** The earliest request whose arrival [next] has told and which nobody has taken. */
    fun takeDue(): TraceEntry = due.removeFirst()

    companion object {
        private const val READ_AHEAD = 4096

        /** Stands behind the last request. */
        val END = TraceEntry(0, Operation.GET, ByteArray(0), 0)
    }
}
