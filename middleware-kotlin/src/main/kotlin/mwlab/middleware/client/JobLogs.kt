package mwlab.middleware.client

import mwlab.follow.Follow
import mwlab.follow.PauseLog
import mwlab.follow.RowFile
import mwlab.metrics.EpochClock
import mwlab.metrics.stats.JobTime
import mwlab.metrics.stats.RequestType
import mwlab.middleware.job.Job
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.file.Path
import kotlin.time.Duration

/** Writes the stamps of followed jobs to `followed.csv` in [directory], and when all stood still to `pauses.csv`. Thread-safe. */
internal class FollowedJobs(private val follow: Follow, directory: Path, private val clock: EpochClock) :
    AutoCloseable {
    private val file = RowFile(directory.resolve("followed.csv"), JobRow.COLUMNS)
    private val pauses = PauseLog(directory.resolve("pauses.csv"), clock)

    val failure: IOException? get() = file.failure ?: pauses.failure
    val complaint: String? get() = file.complaint ?: pauses.complaint

    /** Writes down [job], which is answered, if it is followed; its client comes by TCP. */
    fun replied(job: Job) {
        val port = (job.client.address as InetSocketAddress).port
        if (follow.takes(port, job.number)) file.append(JobRow.of(job, clock))
    }

    override fun close() {
        pauses.close()
        file.close()
    }
}

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
        if (JobTime.RESPONSE_TIME.of(job.times) <= threshold.inWholeNanoseconds) return
        val row = JobRow.of(job, clock)
        synchronized(latest) {
            if (latest.size == MOST_ROWS) latest.removeFirst()
            latest.addLast(row)
        }
        file?.append(row)
    }

    /** The latest slow jobs as CSV, the oldest first. */
    fun csv(): String {
        val rows = synchronized(latest) { latest.toList() }
        return (listOf(JobRow.COLUMNS) + rows).joinToString("\n", postfix = "\n")
    }

    override fun close() {
        file?.close()
    }

    companion object {
        const val MOST_ROWS = 1000
    }
}

/** The row of a CSV file that shows one job with all its stamps, in nanoseconds since 1970. */
internal object JobRow {
    const val COLUMNS = "client,number,request_type,first_byte_ns,enqueued_ns,dequeued_ns,worker,replied_ns," +
        "servers,sent_ns,answered_ns"

    fun of(job: Job, clock: EpochClock): String = with(job.times) {
        listOf(
            Follow.nameOf(job.client.address),
            job.number,
            RequestType.name(job.type),
            clock.epochNanos(firstByteNanos),
            clock.epochNanos(enqueuedNanos),
            clock.epochNanos(dequeuedNanos),
            job.worker,
            clock.epochNanos(repliedNanos),
            job.calls.joinToString(";") { it.server.name },
            job.calls.joinToString(";") { "${clock.epochNanos(it.sentNanos)}" },
            job.calls.joinToString(";") { "${clock.epochNanos(it.answeredNanos)}" },
        ).joinToString(",")
    }
}
