package mwlab.middleware.backend

import kotlinx.coroutines.Deferred
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop

/** A connection to one server of the [BackEnd] that comes back when it is lost. Confined to the thread of its [loop]. */
internal interface BackEndConnection {
    val loop: EventLoop

    /** What has become of it so far; readable anywhere. */
    val link: ServerLink

    /** Connects, and connects again when that ends; until cancelled. */
    suspend fun run()

    /** Completes when the first attempt to connect has succeeded or failed; with [BackEndUnusable] if no attempt can be of use. */
    val firstAttempt: Deferred<Unit>

    /**
     * Sends [call] together with what else is submitted in this turn of the loop. Does not wait: it is answered or fails in its own time,
     * perhaps at once.
     */
    fun submit(call: ServerCall)

    /** Ends what has taken too long at [nanos]. */
    fun checkTimeout(nanos: Long)
}
