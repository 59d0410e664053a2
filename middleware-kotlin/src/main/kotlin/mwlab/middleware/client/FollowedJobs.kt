package mwlab.middleware.client

import mwlab.follow.Follow
import mwlab.follow.PauseLog
import mwlab.follow.RowFile
import mwlab.metrics.EpochClock
import mwlab.middleware.job.Job
import java.io.IOException
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.nio.file.Path

/**
 * Writes down the stamps of the jobs that are followed, and when the middleware stood still: `followed.csv` and `pauses.csv` in
 * [directory]. Thread-safe.
 */
internal class FollowedJobs(private val follow: Follow, directory: Path, private val clock: EpochClock) :
    AutoCloseable {
    private val file = RowFile(directory.resolve("followed.csv"), JobRow.COLUMNS)
    private val pauses = PauseLog(directory.resolve("pauses.csv"), clock)

    /** Why not all could be written, if so; after [close]. */
    var failure: IOException? = null
        private set

    /** What was left out, in one line; null if nothing was. */
    val complaint: String? get() = file.complaint ?: pauses.complaint

    /** What is followed of the client at [address], which comes by TCP. */
    fun of(address: SocketAddress) = OfClient((address as InetSocketAddress).port, Follow.nameOf(address))

    override fun close() {
        for (one in listOf(pauses, file)) {
            try {
                one.close()
            } catch (unwritable: IOException) {
                failure = unwritable
            }
        }
    }

    /** The jobs of one client. */
    inner class OfClient(private val port: Int, private val name: String) {
        /** Writes down [job], which is answered, if it is followed. */
        fun replied(job: Job) {
            if (follow.takes(port, job.number)) file.append(JobRow.of(name, job, clock))
        }
    }
}
