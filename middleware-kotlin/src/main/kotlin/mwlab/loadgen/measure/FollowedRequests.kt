package mwlab.loadgen.measure

import mwlab.follow.Follow
import mwlab.follow.PauseLog
import mwlab.follow.RowFile
import mwlab.loadgen.options.Followed
import mwlab.loadgen.request.SentRequest
import mwlab.metrics.EpochClock
import mwlab.net.Connection
import mwlab.net.NanoClock
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.file.Path

/**
 * The files of `--follow`: the requests that are followed and were answered, and when the generator stood still. Thread-safe.
 *
 * @param server what requests are sent to, for the rows
 */
internal class FollowedRequests(options: Followed, private val server: String) : AutoCloseable {
    private val follow = options.follow
    private val clock = EpochClock(NanoClock.SYSTEM)
    private val file = RowFile(Path.of("${options.filePrefix}-followed.csv"), COLUMNS)
    private val pauses = PauseLog(Path.of("${options.filePrefix}-pauses.csv"), clock)

    /** What was left out, in one line; null if nothing was. */
    val complaint: String? get() = file.complaint ?: pauses.complaint

    /** What is followed on a [connection], by TCP, that was just opened. */
    fun on(connection: Connection): OnConnection {
        val address = connection.localAddress as InetSocketAddress
        return OnConnection(address.port, Follow.nameOf(address))
    }

    /** @throws IOException if not all rows could be written */
    override fun close() {
        file.close()
        pauses.close()
        (file.failure ?: pauses.failure)?.let { throw it }
    }

    /** The requests of one connection; confined to the thread of its loop. */
    inner class OnConnection(private val port: Int, private val name: String) {
        private var next = 0L

        /** [request] is the next one on the connection. */
        fun sent(request: SentRequest) {
            request.followedNumber = if (follow.takes(port, next)) next else SentRequest.NOT_FOLLOWED
            next++
        }

        /** [request] is answered. */
        fun answered(request: SentRequest) {
            if (request.followedNumber != SentRequest.NOT_FOLLOWED) file.append(rowOf(name, request))
        }
    }

    private fun rowOf(client: String, request: SentRequest): String = listOf(
        client,
        request.followedNumber,
        server,
        request.operation.word,
        request.keys,
        if (request.dueNanos == 0L) "" else clock.epochNanos(request.dueNanos),
        clock.epochNanos(request.sentNanos),
        clock.epochNanos(request.firstByteNanos),
        clock.epochNanos(request.lastByteNanos),
        request.outcome.word,
    ).joinToString(",")

    private companion object {
        const val COLUMNS = "client,number,server,operation,keys,intended_ns,sent_ns,first_byte_ns,last_byte_ns,outcome"
    }
}
