package mwlab.middleware.client

import mwlab.follow.Follow
import mwlab.follow.RowFile
import mwlab.metrics.EpochClock
import mwlab.metrics.stats.JobTime
import mwlab.middleware.job.Job
import java.io.IOException
import java.net.SocketAddress
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

    /** Why not all rows could be written, if so; after [close]. */
    var failure: IOException? = null
        private set

    /** What was left out of the file, in one line; null if nothing was. */
    val complaint: String? get() = file?.complaint

    /** What is kept of the client at [address]. */
    fun of(address: SocketAddress) = OfClient(Follow.nameOf(address))

    /** The latest slow jobs as CSV, the oldest first. */
    fun csv(): String {
        val rows = synchronized(latest) { latest.toList() }
        return (listOf(JobRow.COLUMNS) + rows).joinToString("\n", postfix = "\n")
    }

    override fun close() {
        try {
            file?.close()
        } catch (unwritable: IOException) {
            failure = unwritable
        }
    }

    /** The jobs of one client. */
    inner class OfClient(private val name: String) {
        /** Keeps [job], which is answered, if it was slow. */
        fun replied(job: Job) {
            val responseNanos = JobTime.RESPONSE_TIME.of(job.times)
            if (responseNanos > threshold.inWholeNanoseconds) keep(JobRow.of(name, job, clock))
        }
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
