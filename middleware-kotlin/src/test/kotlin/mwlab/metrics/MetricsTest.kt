package mwlab.metrics

import kotlinx.coroutines.runBlocking
import mwlab.net.EventLoop
import java.util.concurrent.atomic.AtomicLong
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
}
