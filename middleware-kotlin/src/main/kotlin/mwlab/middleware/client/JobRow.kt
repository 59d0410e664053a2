package mwlab.middleware.client

import mwlab.follow.Follow
import mwlab.metrics.EpochClock
import mwlab.metrics.stats.RequestType
import mwlab.middleware.job.Job

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
