package mwlab.metrics

import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.Outcome
import mwlab.metrics.stats.RequestType
import mwlab.metrics.stats.WindowStats
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.microseconds

class RecorderTest {
    private val second = 1_000_000_000L

    /** The stamp 0 is the epoch second 100. */
    private val clock = EpochClock({ 0 }, offsetNanos = 100_000_000_000)
    private val shape = Recorder.Shape(servers = 1, workers = 2, 100.microseconds)
    private val lastArrival = LastArrival()

    private fun recorder(cpuNanos: () -> Long = { 0 }) =
        Recorder(shape, clock, lastArrival, netThread = 0, cpuNanos, startNanos = 1)

    private fun Recorder.window(): WindowStats = closed.remove()

    private fun times(replied: Long) = JobTimes().apply {
        firstByteNanos = replied - 9_000_000
        enqueuedNanos = replied - 8_000_000
        dequeuedNanos = replied - 6_000_000
        sentNanos = replied - 5_500_000
        answeredNanos = replied - 1_000_000
        serversNetNanos = 4_000_000
        repliedNanos = replied
    }

    @Test
    fun `times are differences of the stamps`() {
        val expected = mapOf(
            JobTime.RESPONSE_TIME to 9_000_000L,
            JobTime.PREPROCESSING_TIME to 1_000_000L,
            JobTime.QUEUEING_TIME to 2_000_000L,
            JobTime.SERVICE_TIME to 6_000_000L,
            JobTime.PROCESSING_TIME to 1_500_000L,
            JobTime.SERVERS_NET_TIME to 4_000_000L,
            JobTime.CLIENT_RTT_AND_THINK_TIME to -1L,
        )
        assertEquals(expected, JobTime.entries.associateWith { it.of(times(20_000_000)) })
    }

    @Test
    fun `a request counts in the second in which it was answered`() {
        val recorder = recorder()
        val outcome = Outcome().apply {
            keys = 3
            hits = 2
            misses = 1
            bytesIn = 30
            bytesOut = 100
        }
        recorder.replied(RequestType.ofGet(3), outcome, times(second - 1))
        recorder.replied(RequestType.ofGet(3), outcome.apply { isError = true }, times(second))
        recorder.advance(2 * second)
        val windows = listOf(recorder.window(), recorder.window())
        assertEquals(listOf(100L, 101L), windows.map { it.epochSecond })
        val stats = windows.map { it.type(RequestType.ofGet(3)) }
        assertEquals(listOf(1L to 0L, 1L to 1L), stats.map { it.counts.requests to it.counts.errors })
        assertEquals(listOf(2L, 1L, 30L, 100L), stats[0].counts.run { listOf(hits, misses, bytesIn, bytesOut) })
        assertEquals(9.0, stats[0].times(JobTime.RESPONSE_TIME).meanMs)
        assertEquals(0, stats[0].times(JobTime.CLIENT_RTT_AND_THINK_TIME).count)
        assertEquals(1, stats[0].distribution(JobTime.RESPONSE_TIME).toHistogram().getCountAtValue(9000))
    }

    @Test
    fun `the queue's length is weighted by time, across seconds and net threads`() {
        val clients = recorder()
        val workers = recorder()
        clients.enqueued(second / 2, 1)
        clients.enqueued(second / 2, 2)
        workers.dequeued(0, second / 2 + second / 4)
        workers.dequeued(1, second + second / 2)
        for (recorder in listOf(clients, workers)) recorder.advance(2 * second)
        // Two jobs for a quarter of a second, one for the next quarter; then one for half of the next second.
        assertEquals(second * 3 / 4, clients.window().queue.lengthNanos + workers.window().queue.lengthNanos)
        assertEquals(second / 2, clients.window().queue.lengthNanos + workers.window().queue.lengthNanos)
    }

    @Test
    fun `a window that ends early counts the queue up to its end`() {
        val recorder = recorder()
        recorder.enqueued(second / 4, 1)
        recorder.stop(second / 2)
        val window = recorder.window()
        assertEquals(second / 4, window.queue.lengthNanos)
        assertEquals(second / 2 - 1, window.durationNanos)
    }

    @Test
    fun `a window that begins after the end is dropped`() {
        val recorder = recorder()
        recorder.advance(second + second / 2)
        recorder.stop(second - 1)
        assertEquals(100, recorder.window().epochSecond)
        assertTrue(recorder.closed.isEmpty())
    }

    @Test
    fun `a worker that is busy over the end of a second is busy in both`() {
        val recorder = recorder()
        recorder.dequeued(1, second / 4)
        recorder.finished(1, 2 * second + second / 2)
        recorder.advance(3 * second)
        assertEquals(listOf(second * 3 / 4, second, second / 2), List(3) { recorder.window().workerBusyNanos[1] })
    }

    @Test
    fun `times between arrivals have a mean and a variation`() {
        val recorder = recorder()
        for (nanos in listOf(1_000L, 2_000L, 4_000L, 5_000L)) recorder.enqueued(nanos, 1)
        recorder.advance(second)
        val queue = recorder.window().queue
        assertEquals(4, queue.arrivals)
        assertEquals(4_000.0 / 3, queue.interarrivalTime.mean)
        assertEquals(0.125, queue.interarrivalTime.scv, 1e-9)
    }

    @Test
    fun `a net thread's share is what it has used of a processor since the last second`() {
        var used = 0L
        val recorder = recorder { used }
        used = second / 4
        recorder.advance(second)
        used = second
        recorder.advance(2 * second)
        assertEquals(listOf<Long?>(second / 4, second * 3 / 4), List(2) { recorder.window().netThreadCpuNanos[0] })
    }

    @Test
    fun `a recycled window is empty`() {
        val recorder = recorder()
        recorder.replied(0, Outcome(), times(second / 2))
        recorder.serverReplied(0, 0, 1_000)
        recorder.serverUsed(0, 1, 2, 3, isError = true)
        recorder.advance(second)
        val used = recorder.window()
        recorder.recycle(used)
        recorder.advance(2 * second)
        recorder.window()
        recorder.advance(3 * second)
        val again = recorder.window()
        assertTrue(again === used)
        again.forEachType { name, _ -> error("$name has requests") }
        assertEquals(0, again.type(0).serverDistribution(0).count)
        assertEquals(0, again.server[0].requests + again.server[0].responseTime.count)
    }

    @Test
    fun `a server's answer counts also where no request of its type does`() {
        val recorder = recorder()
        recorder.serverReplied(0, 0, 1_000_000)
        recorder.advance(second)
        recorder.replied(0, Outcome(), times(second + 1))
        recorder.advance(2 * second)
        val (early, late) = listOf(recorder.window(), recorder.window())
        val run = WindowStats(servers = 1, workers = 2)
        run.add(early)
        run.add(late)
        assertEquals(1L, run.type(0).serverDistribution(0).count)
        assertEquals(1L, run.type(0).counts.requests)
        val used = buildList { early.forEachUsedType { name, _ -> add(name) } }
        assertEquals(listOf(RequestType.name(0)), used)
        early.forEachType { name, _ -> error("$name has requests") }
        early.reset()
        early.forEachUsedType { name, _ -> error("$name is used") }
    }

    @Test
    fun `workers are busy from taking a job until they have finished it`() {
        val recorder = recorder()
        recorder.dequeued(0, 10)
        recorder.dequeued(1, 20)
        assertEquals(2, recorder.busyWorkers)
        recorder.finished(0, 30)
        assertEquals(1, recorder.busyWorkers)
    }

    @Test
    fun `bins are of equal width and the last one is open`() {
        val recorder = recorder()
        for (nanos in listOf(
            0L,
            99_999L,
            100_000L,
            499_999_999L,
            500_000_000L,
            9_000_000_000L,
        )) {
            recorder.serverReplied(0, 0, nanos)
        }
        val counts = mutableMapOf<Double, Long>()
        recorder.bins.forEach(listOf("s")) { _, _, start, count -> counts[start.inWholeMicroseconds / 1000.0] = count }
        assertEquals(mapOf(0.0 to 2L, 0.1 to 1L, 499.9 to 1L, 500.0 to 2L), counts)
    }
}
