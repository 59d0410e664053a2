package mwlab.middleware.backend

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.metrics.stats.ServerLink
import mwlab.middleware.job.ServerCall
import mwlab.net.EventLoop
import mwlab.net.watch
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** A connection to one server of the [BackEnd] that comes back when it is lost. Confined to the thread of its [loop]. */
internal interface BackEndConnection {
    val loop: EventLoop

    /** What has become of it so far; readable anywhere. */
    val link: ServerLink

    /** Connects, and connects again when that ends; until cancelled. */
    suspend fun run()

    /** Completes when the first attempt to connect has succeeded or failed; with [BackEndUnusable] if no attempt can be of use. */
    val firstAttempt: Deferred<Unit>

    /** Sends [call] with what else is submitted in this turn of the loop. Does not wait: it is done in its own time, perhaps at once. */
    fun submit(call: ServerCall)

    /** Ends what has taken too long at [nanos]. */
    fun checkTimeout(nanos: Long)
}

/** The connections to all servers of [backEnd], which may take [timeout] to answer. */
internal class BackEndConnections(private val backEnd: BackEnd, private val timeout: Duration) {
    private val all = mutableListOf<BackEndConnection>()

    /** What has become of each so far; readable anywhere. */
    val links: List<ServerLink> get() = all.map { it.link }

    /** Begins to connect to each server from [loop]; the connections live in [scope]. */
    fun connect(scope: CoroutineScope, loop: EventLoop): List<BackEndConnection> {
        val connections = backEnd.servers.map { backEnd.connectionTo(it, loop) }
        all += connections
        connections.forEach { scope.launch(loop) { it.run() } }
        return connections
    }

    /**
     * Suspends until each has been tried once, but for [longest] at most: servers that hang do not keep the others from being used.
     *
     * @throws BackEndUnusable as [BackEndConnection.firstAttempt].
     */
    suspend fun awaitFirstAttempts(longest: Duration) {
        withTimeoutOrNull(longest) { all.map { it.firstAttempt }.awaitAll() }
    }

    /** Looks after the time limits of those that were made on [loop]; there, until cancelled. */
    suspend fun watch(loop: EventLoop) {
        val own = all.filter { it.loop == loop }
        val interval = (timeout / CHECKS_PER_TIMEOUT).coerceIn(1.milliseconds, LONGEST_CHECK_INTERVAL)
        loop.watch(interval) { nanos -> own.forEach { it.checkTimeout(nanos) } }
    }

    private companion object {
        const val CHECKS_PER_TIMEOUT = 20
        val LONGEST_CHECK_INTERVAL = 100.milliseconds
    }
}
