package mwlab.metrics.stats

/**
 * The stamps of one request's life, on the net threads' clock; 0 where it has not come so far.
 *
 * A plain holder that is filled as the request moves on; confined to whoever has the request.
 */
class JobTimes {
    /** t0: the first byte was read from the client. */
    var firstByteNanos = 0L

    /** t1: offered to the job queue. */
    var enqueuedNanos = 0L

    /** t2: taken by a worker. */
    var dequeuedNanos = 0L

    /** t3: the last byte to the last server was written. */
    var sentNanos = 0L

    /** t4: the slowest server's reply was complete. */
    var answeredNanos = 0L

    /** t5: the last byte of the reply was handed to the client's socket. */
    var repliedNanos = 0L

    /** Longest of the servers' response times, each from its own t3 to its own t4. */
    var serversNetNanos = 0L

    /** t0 minus the client's previous t5; negative if there was no previous request, or if it was sent ahead. */
    var thinkNanos = -1L
}

/** The times derived from the stamps, with their column names; nanoseconds. */
enum class JobTime(val column: String) {
    RESPONSE_TIME("response_time"),
    PREPROCESSING_TIME("preprocessing_time"),
    QUEUEING_TIME("queueing_time"),
    SERVICE_TIME("service_time"),
    PROCESSING_TIME("processing_time"),
    SERVERS_NET_TIME("servers_net_time"),
    CLIENT_RTT_AND_THINK_TIME("client_rtt_and_think_time"),
    ;

    /** This time of a request, or -1 if there is no such time. */
    fun of(times: JobTimes): Long = when (this) {
        RESPONSE_TIME -> times.repliedNanos - times.firstByteNanos
        PREPROCESSING_TIME -> times.enqueuedNanos - times.firstByteNanos
        QUEUEING_TIME -> times.dequeuedNanos - times.enqueuedNanos
        SERVICE_TIME -> times.repliedNanos - times.dequeuedNanos
        PROCESSING_TIME -> times.sentNanos - times.dequeuedNanos + times.repliedNanos - times.answeredNanos
        SERVERS_NET_TIME -> times.serversNetNanos
        CLIENT_RTT_AND_THINK_TIME -> times.thinkNanos
    }
}
