package mwlab.loadgen

import mwlab.loadgen.measure.LiveTotals
import mwlab.loadgen.measure.RunLimit
import mwlab.testing.VirtualMemcached
import mwlab.testing.VirtualTime
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class StallDetectorTest {
    private val second = 1_000_000_000L

    /** Looks every 6 s at a run without an end. */
    private fun stalledAt(vararg totals: LiveTotals): List<Boolean> {
        val detector = StallDetector(RunLimit(startNanos = 0))
        return totals.mapIndexed { index, it -> detector.isStalled(it, index * 6 * second, lateNanos = 0) }
    }

    /** Looks at the seconds and lateness of [looks] at a run of 8 s that waits for a reply. */
    private fun stalledInTimedRun(vararg looks: Pair<Long, Long>): List<Boolean> {
        val detector = StallDetector(RunLimit(startNanos = 0, endNanos = 8 * second))
        return looks.map { (at, late) -> detector.isStalled(totals(5, 4), at * second, late * second) }
    }

    private fun totals(sent: Long, replies: Long, errors: Long = 0) = LiveTotals(sent, replies, errors, 0, 0, 0)

    @Test
    fun `outstanding requests without any reply for ten seconds are a stall`() {
        assertEquals(listOf(false, false, true), stalledAt(totals(5, 1), totals(5, 1), totals(5, 1)))
    }

    @Test
    fun `replies, also errors, are signs of life, and so is having nothing to wait for`() {
        assertEquals(listOf(false, false, false), stalledAt(totals(5, 1), totals(5, 1), totals(5, 1, errors = 1)))
        assertEquals(listOf(false, false, false), stalledAt(totals(5, 5), totals(5, 5), totals(5, 5)))
    }

    @Test
    fun `a timed run waits for replies until its grace is over`() {
        assertEquals(listOf(false, false, false, true), stalledInTimedRun(7L to 0L, 8L to 0L, 9L to 0L, 10L to 0L))
    }

    @Test
    fun `the time in which the generator itself stood still does not count`() {
        assertEquals(listOf(false, false, true), stalledInTimedRun(28L to 21L, 30L to 0L, 31L to 0L))
        val detector = StallDetector(RunLimit(startNanos = 0))
        val looks = listOf(1L to 0L, 30L to 28L, 38L to 0L, 40L to 0L)
        val stalls = looks.map { (at, late) -> detector.isStalled(totals(5, 1), at * second, late * second) }
        assertEquals(listOf(false, false, false, true), stalls)
    }

    @Test
    fun `a generator that was stopped beyond the end of its run takes the replies that come afterwards`() {
        var time: VirtualTime? = null
        fun serviceTime(): Duration {
            val now = checkNotNull(time)
            if (now.elapsedNanos !in 7 * second..8 * second) return 100.microseconds
            now.skip(22.seconds)
            return 22.seconds + 300.milliseconds
        }
        val server = VirtualMemcached(::serviceTime)
        val run = VirtualGeneration("-t 1 -c 4 --test-time=8", connect = { loop ->
            time = loop.clock as VirtualTime
            server.connectOn(loop)
        }).run()
        assertEquals(0, run.status, run.err)
        assertEquals(0.0, run.number("middleware-lab", "Unanswered requests"))
    }
}
