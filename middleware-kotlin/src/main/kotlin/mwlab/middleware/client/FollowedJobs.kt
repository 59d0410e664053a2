package mwlab.middleware.client

import mwlab.follow.Follow
import mwlab.follow.PauseLog
import mwlab.follow.RowFile
import mwlab.metrics.EpochClock
import mwlab.middleware.job.Job
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.file.Path

/**
 * Writes down the stamps of the jobs that are followed, and when the middleware stood still: `followed.csv` and `pauses.csv` in
 * [directory]. Thread-safe.
 */
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
