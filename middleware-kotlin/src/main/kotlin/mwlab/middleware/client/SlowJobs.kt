package mwlab.middleware.client

import mwlab.follow.RowFile
import mwlab.metrics.EpochClock
import mwlab.metrics.stats.JobTime
import mwlab.middleware.job.Job
import java.io.IOException
import java.nio.file.Path
import kotlin.time.Duration

/**
 * The slow log: keeps the stamps of the latest [MOST_ROWS] jobs whose response time was above [threshold], and writes the rows of all
 * such jobs to `slow.csv` in [directory], if that is given. Thread-safe.
 */
internal class SlowJobs(private val threshold: Duration, directory: Path?, private val clock: EpochClock) :
    AutoCloseable {
    private val file = directory?.let { RowFile(it.resolve("slow.csv"), JobRow.COLUMNS) }
    private val latest = ArrayDeque<String>()

    val failure: IOException? get() = file?.failure
    val complaint: String? get() = file?.complaint

    /** Keeps [job], which is answered, if it was slow. */
    fun replied(job: Job) {
        if (JobTime.RESPONSE_TIME.of(job.times) > threshold.inWholeNanoseconds) keep(JobRow.of(job, clock))
    }

    /** The latest slow jobs as CSV, the oldest first. */
    fun csv(): String {
        val rows = synchronized(latest) { latest.toList() }
        return (listOf(JobRow.COLUMNS) + rows).joinToString("\n", postfix = "\n")
    }

    override fun close() {
        file?.close()
    }

    private fun keep(row: String) {
        synchronized(latest) {
            if (latest.size == MOST_ROWS) latest.removeFirst()
            latest.addLast(row)
        }
        file?.append(row)
    }

    companion object {
        const val MOST_ROWS = 1000
    }
}
