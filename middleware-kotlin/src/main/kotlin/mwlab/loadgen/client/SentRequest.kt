package mwlab.loadgen.client

import mwlab.loadgen.measure.Operation
import mwlab.loadgen.options.Keys

/** One request on its way, reused for later ones: a connection has as many as its pipeline is deep. */
internal class SentRequest {
    var operation = Operation.GET

    /** Keys asked for; 0 for a set, which can neither hit nor miss. */
    var keys = 0

    /** Length on the wire. */
    var bytes = 0

    /** When it was handed to the socket, as [System.nanoTime]. */
    var sentNanos = 0L

    /** When it should have been sent, if [isDue]. */
    var dueNanos = 0L

    /** Whether an open loop set a time for it. */
    var isDue = false
}
