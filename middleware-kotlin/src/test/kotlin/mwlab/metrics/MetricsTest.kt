package mwlab.metrics

import kotlinx.coroutines.runBlocking
import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.JobTimes
import mwlab.metrics.stats.Outcome
import mwlab.metrics.stats.RequestType
import mwlab.metrics.stats.StatsMemory
import mwlab.net.EventLoop
import java.util.concurrent.atomic.AtomicLong
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.microseconds

class MetricsTest {
    private val nothing =
        Metrics.Gauges(
            connections = { 0 },
            refusedConnections = { 0 },
            stalledConnections = { 0 },
            failedConnections = { 0 },
            bufferBytes = { 0 },
            queueLength = { 0 },
            serverLinks = { emptyList() },
        )

    @Test
    fun `jobs that are queued on one net thread and taken on others waited as long as they did`() {
        val now = AtomicLong()
        // Whoever reads the clock finds it a millisecond later.
        val loops = List(3) { EventLoop("test-$it", clock = { now.addAndGet(1_000_000) }) }
        try {
            val metrics = Metrics(loops, listOf("s1"), workers = 2, 100.microseconds, nothing)
            val (clients, some, others) = loops.map(metrics::recorderOf)
            val queued = metrics.clock.nanos()
            repeat(100) { clients.enqueued(queued, it + 1) }
            for ((worker, recorder) in listOf(some, others).withIndex()) {
                repeat(50) {
                    recorder.dequeued(worker, queued + 1_000)
                    recorder.finished(worker, queued + 1_000)
                }
            }
            val windows = runBlocking { metrics.collectLast() }
            assertTrue(windows.all { it.durationNanos > 0 && it.queue.lengthNanos >= 0 })
            assertEquals(100 * 1_000, metrics.total.queue.lengthNanos)
        } finally {
            loops.forEach(EventLoop::close)
        }
    }

    @Test
    fun `a second that has ended on one net thread waits for the others`() {
        val now = AtomicLong()
        val loops = List(2) { EventLoop("test-$it", clock = { now.get() }) }
        try {
            val metrics = Metrics(loops, listOf("s1"), workers = 2, 100.microseconds, nothing)
            val endNanos = metrics.clock.run { startOf(epochSecond(0) + 1) }
            metrics.recorderOf(loops.first()).advance(endNanos)
            assertEquals(0, runBlocking { metrics.collect().size })
            now.set(endNanos)
            assertEquals(1, runBlocking { metrics.collect().size })
        } finally {
            loops.forEach(EventLoop::close)
        }
    }

    @Test
    fun `all sizes of multi-gets with the narrowest bins take no more memory than the budget, and no count is lost`() {
        val now = AtomicLong()
        val loops = List(2) { EventLoop("test-$it", clock = { now.get() }) }
        try {
            val budget = 8L shl 20
            val memory = StatsMemory(budget)
            val servers = listOf("s1", "s2", "s3")
            val metrics = Metrics(loops, servers, workers = 2, 10.microseconds, nothing, memory = memory)
            val random = Random(1)
            for (second in 1..5) {
                for (keys in 1..101) {
                    repeat(20) {
                        val recorder = metrics.recorderOf(loops[it % 2])
                        val nanos = random.nextLong(600_000_000)
                        recorder.serverReplied(keys % 3, RequestType.ofGet(keys), nanos)
                        recorder.replied(RequestType.ofGet(keys), Outcome(), lasting(nanos, until = now.get()))
                    }
                }
                assertTrue(memory.usedBytes <= budget)
                now.addAndGet(1_000_000_000)
                runBlocking { metrics.collect() }
            }
            runBlocking { metrics.collectLast() }
            var binned = 0L
            metrics.takeBins().forEach(servers) { time, _, _, count -> if (time == "response_time") binned += count }
            assertEquals(5L * 101 * 20, binned)
            assertTrue(memory.usedBytes <= budget)
            assertTrue(memory.coarseCounts > 0, "the budget was too large for this test")
            val response = metrics.total.type(RequestType.ofGet(50)).distribution(JobTime.RESPONSE_TIME)
            assertEquals(100, response.toHistogram().totalCount)
        } finally {
            loops.forEach(EventLoop::close)
        }
    }

    @Test
    fun `windows that are over give their memory back`() {
        val now = AtomicLong()
        val loops = List(2) { EventLoop("test-$it", clock = { now.get() }) }
        try {
            val memory = StatsMemory()
            val metrics = Metrics(loops, listOf("s1"), workers = 2, 10.microseconds, nothing, memory = memory)
            val used = List(20) {
                for (loop in loops) {
                    metrics.recorderOf(loop).replied(0, Outcome(), lasting(nanos = 3_000_000, until = now.get()))
                }
                now.addAndGet(1_000_000_000)
                runBlocking { metrics.collect() }
                memory.usedBytes
            }
            assertEquals(used[1], used.last())
        } finally {
            loops.forEach(EventLoop::close)
        }
    }

    private fun lasting(nanos: Long, until: Long) = JobTimes().apply {
        firstByteNanos = until - nanos
        enqueuedNanos = until - nanos
        dequeuedNanos = until - nanos / 2
        repliedNanos = until
    }
}
