package mwlab.middleware.client

import mwlab.metrics.EpochClock
import mwlab.testing.FakeClient
import mwlab.testing.jobOf
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.io.path.readLines
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.time.Duration.Companion.milliseconds

class SlowJobsTest {
    @TempDir
    lateinit var directory: Path

    private val clock = EpochClock({ 0 }, offsetNanos = 1_000_000)

    private fun SlowJobs.replied(number: Long, responseNanos: Long) {
        val job = jobOf("get k", FakeClient(null))
        job.times.firstByteNanos = 5
        job.times.repliedNanos = 5 + responseNanos
        job.number = number
        replied(job)
    }

    @Test
    fun `requests above the threshold are kept with all their stamps, and written as they are served`() {
        val slow = SlowJobs(10.milliseconds, directory, clock)
        for ((number, nanos) in listOf(9_999_999L, 10_000_000L, 10_000_001L).withIndex()) {
            slow.replied(number.toLong(), nanos)
        }
        val rows = listOf(JobRow.COLUMNS, "127.0.0.1:4000,2,get,1000005,1000000,1000000,0,11000006,,,")
        assertEquals(rows, slow.csv().trim().lines())
        slow.close()
        assertEquals(rows, directory.resolve("slow.csv").readLines())
        assertNull(slow.failure ?: slow.complaint)
    }

    @Test
    fun `the latest thousand are kept`() {
        val slow = SlowJobs(10.milliseconds, directory = null, clock)
        for (number in 0L until 1500L) slow.replied(number, 20_000_000)
        val numbers = slow.csv().trim().lines().drop(1).map { it.split(',')[1].toLong() }
        assertEquals((500L until 1500L).toList(), numbers)
    }
}
