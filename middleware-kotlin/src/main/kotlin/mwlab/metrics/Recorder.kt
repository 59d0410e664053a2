package mwlab.metrics

import mwlab.metrics.stats.Bins
import mwlab.metrics.stats.Counts
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.Outcome
import mwlab.metrics.stats.StatsMemory
import mwlab.metrics.stats.WindowStats
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration

/** Where the arrivals of all net threads meet, to tell the time between them. */
class LastArrival {
    internal val nanos = AtomicLong()
}

/**
 * Counts what happens on one net thread; all its workers and clients share it, since they run one at a time.
 *
 * Recording takes no locks, and memory only for times that did not occur in the same second before. Events must be recorded when
 * they happen, with the stamp of that moment: the first one past the end of a second closes that second's window and puts it
 * into [closed]. Confined to the net thread, except [closed], [recycle] and [busyWorkers].
 *
 * The time-weighted queue length needs no lock either, though jobs may be queued on one thread and taken on another: the
 * integral of the length over a window is the sum, over all jobs queued in it, of the time left until its end, minus the
 * same sum over all jobs taken; the threads' sums add up.
 *
 * With [Shape.instrumentation] off nothing of single requests is recorded; [refused], [refusedRequest], [undelivered] and
 * [failedOver] still are.
 *
 * @param cpuNanos time that the net thread has spent on a processor so far.
 */
class Recorder(
    private val shape: Shape,
    private val clock: EpochClock,
    private val lastArrival: LastArrival,
    private val netThread: Int,
    private val cpuNanos: () -> Long,
    startNanos: Long,
) {
    /** How much there is to count. */
    class Shape(
        val servers: Int,
        val workers: Int,
        val binWidth: Duration,
        val instrumentation: Boolean = true,
        val memory: StatsMemory = StatsMemory(),
    ) {
        internal fun window() = WindowStats(servers, workers, memory)
    }

    /** Windows that are over and not to be touched by the recorder any more. */
    val closed = ConcurrentLinkedQueue<WindowStats>()

    private val recycled = ConcurrentLinkedQueue<WindowStats>()

    /** The fixed bins of the whole run. */
    val bins = Bins(shape.binWidth, shape.servers, shape.memory)

    private val ended = Counts(shape.servers)
    private val busySince = LongArray(shape.workers)
    private var window = shape.window()
    private var startNanos = startNanos
    private var endNanos = 0L
    private var queued = 0L
    private var cpuNanosBefore = cpuNanos()

    init {
        open(startNanos)
    }

    private val isOn = shape.instrumentation
    private val busy = AtomicInteger()

    /** Workers of this net thread that hold a job at the moment. */
    val busyWorkers: Int get() = busy.get()

    /** Takes back a window of [closed] for reuse; its content is dropped. */
    fun recycle(window: WindowStats) {
        window.reset()
        recycled.add(window)
    }

    /** The moment, on the clock; 0 if no times are kept, so that the clock need not be read. */
    fun now(): Long = if (isOn) clock.nanos() else 0

    /** A job was offered to the queue at [nanos], which then held [length]. */
    fun enqueued(nanos: Long, length: Int) {
        if (!isOn) return
        advance(nanos)
        queued++
        val queue = window.queue
        queue.arrivals++
        queue.lengthNanos += endNanos - nanos
        if (length > queue.maxLength) queue.maxLength = length.toLong()
        val previous = lastArrival.nanos.getAndSet(nanos)
        if (previous != 0L) queue.interarrivalTime.record(maxOf(nanos - previous, 0).toDouble())
    }

    /** A job was not accepted, because the queue was full. */
    fun refused() {
        window.queue.refused++
    }

    /** A request was answered by the middleware itself, with an error. */
    fun refusedRequest() {
        window.refusedRequests++
    }

    /** A job's reply was not delivered, because its client's connection was broken or closed. */
    fun undelivered() {
        window.undeliveredReplies++
    }

    /** [worker] took a job from the queue at [nanos], and is busy until [finished]. */
    fun dequeued(worker: Int, nanos: Long) {
        if (!isOn) return
        advance(nanos)
        queued--
        window.queue.lengthNanos -= endNanos - nanos
        busySince[worker] = nanos
        busy.lazySet(busy.plain + 1)
    }

    fun finished(worker: Int, nanos: Long) {
        if (!isOn) return
        advance(nanos)
        window.workerBusyNanos[worker] += nanos - busySince[worker]
        busySince[worker] = 0
        busy.lazySet(busy.plain - 1)
    }

    /** The queue held [length] jobs when somebody looked. */
    fun sampledQueue(nanos: Long, length: Int) {
        if (!isOn) return
        advance(nanos)
        window.queue.sampledLength.record(length.toDouble())
    }

    /** A request of [type] was answered at its t5. */
    fun replied(type: Int, outcome: Outcome, times: JobTimes) {
        if (!isOn) return
        advance(times.repliedNanos)
        window.type(type).record(outcome, times)
        bins.record(type, times)
    }

    /** [server] answered its part of a request of [type] after [responseNanos]. */
    fun serverReplied(server: Int, type: Int, responseNanos: Long) {
        if (!isOn) return
        window.server[server].responseTime.record(responseNanos)
        window.type(type).recordServer(server, responseNanos)
        bins.recordServer(server, type, responseNanos)
    }

    /** What [server] was sent and sent back for one request. */
    fun serverUsed(server: Int, keys: Int, bytesOut: Int, bytesIn: Int, isError: Boolean) {
        if (!isOn) return
        val stats = window.server[server]
        stats.requests++
        stats.keys += keys
        stats.bytesOut += bytesOut
        stats.bytesIn += bytesIn
        if (isError) stats.errors++
    }

    /** A request was made again of another server, because [server] did not answer it. */
    fun failedOver(server: Int) {
        window.server[server].failovers++
    }

    /** Closes the windows that are over at [nanos]. */
    fun advance(nanos: Long) {
        while (nanos >= endNanos) close(endNanos)
    }

    /** Adds all that was counted since the start, up to now, to [sum]. */
    fun addTo(sum: Counts) {
        sum.add(ended)
        sum.add(window)
    }

    /**
     * Closes the window under way, though its second is not over: nothing is recorded afterwards. All recorders stop at the
     * same moment, for the queue's length is the sum of theirs; a window that begins later is dropped.
     */
    fun stop(nanos: Long) {
        advance(nanos)
        if (nanos <= startNanos) return
        // The queue's integral was reckoned to the end of the second.
        window.queue.lengthNanos -= queued * (endNanos - nanos)
        close(nanos)
    }

    private fun close(nanos: Long) {
        window.durationNanos = nanos - startNanos
        for (worker in busySince.indices) {
            if (busySince[worker] == 0L) continue
            window.workerBusyNanos[worker] += nanos - busySince[worker]
            busySince[worker] = nanos
        }
        // Closed a little late, a window may show more than it has room for: the rest belongs to the next one.
        val used = minOf(cpuNanos() - cpuNanosBefore, window.durationNanos)
        window.netThreadCpuNanos[netThread] = used
        cpuNanosBefore += used
        ended.add(window)
        closed.add(window)
        window = recycled.poll() ?: shape.window()
        open(nanos)
    }

    private fun open(nanos: Long) {
        startNanos = nanos
        window.epochSecond = clock.epochSecond(nanos)
        endNanos = clock.startOf(window.epochSecond + 1)
        window.queue.lengthNanos = queued * (endNanos - startNanos)
    }
}
