package mwlab.loadgen.request

/** One request on its way, reused for later ones: a connection has as many as its pipeline is deep. */
internal class SentRequest {
    var operation = Operation.GET
        private set

    /** Keys that can hit or miss; 0 for what only stores. */
    var keys = 0
        private set

    /** Length on the wire. */
    var bytes = 0

    /** When it was handed to the socket, on the clock of the loop. */
    var sentNanos = 0L

    /** When it should have been sent, if [isDue]; otherwise when its client had thought, or 0. */
    var dueNanos = 0L

    /** Whether it was due at a time that no reply moves: in an open loop, and where clients have a rate. */
    var isDue = false

    /** Whether the first bytes of its reply have been read, and when. */
    var hasReply = false
        private set
    var firstByteNanos = 0L
        private set

    /** When its reply was complete, if there was one. */
    var lastByteNanos = 0L

    /** Only of interest once the reply is complete. */
    var outcome = Outcome.ERROR

    /** Its number on its connection, from 0, if it is followed. */
    var followedNumber = NOT_FOLLOWED

    /** Begins the description of a new request; when it is due is kept. */
    fun describe(operation: Operation, keys: Int = if (operation.canMiss) 1 else 0) {
        this.operation = operation
        this.keys = keys
        hasReply = false
    }

    /** The first bytes of the reply were read at that time, unless some were before. */
    fun replyBegins(nanos: Long) {
        if (!hasReply) firstByteNanos = nanos
        hasReply = true
    }

    companion object {
        const val NOT_FOLLOWED = -1L
    }
}
