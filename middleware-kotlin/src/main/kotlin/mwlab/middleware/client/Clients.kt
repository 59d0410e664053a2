package mwlab.middleware.client

import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.watch
import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The clients that are connected: who is one too many is turned away, who holds on to buffers and does not move is closed. Thread-safe.
 *
 * @param timeout for how long a client may not move.
 * @param idleTimeout for how long it may ask nothing; null: for ever.
 */
internal class Clients(private val most: Int, private val timeout: Duration, private val idleTimeout: Duration?) {
    private val connected = ConcurrentHashMap.newKeySet<ClientConnection>()
    private val admitted = AtomicInteger()
    private val refused = AtomicLong()
    private val stalled = AtomicLong()
    private val late = AtomicLong()

    @Volatile
    private var isStopping = false

    val count: Int get() = connected.size
    val refusedCount: Long get() = refused.get()
    val stalledCount: Long get() = stalled.get()

    /** Requests that came too late to be answered before the end. */
    val lateRequests: Long get() = late.get()

    /** Requests of those who are still connected that are not answered, or not to the end; on their loops they may go on. */
    val unansweredRequests: Int get() = connected.sumOf { it.unansweredRequests }

    /** Serves the client that [create] makes of [connection] to its end, if there is room for it. */
    suspend fun serve(connection: Connection, create: (Connection) -> ClientConnection) {
        // One step, since net threads admit at the same time.
        if (admitted.getAndUpdate { minOf(it + 1, most) } == most) {
            refused.incrementAndGet()
            connection.write(ByteBuffer.wrap(TOO_MANY_CLIENTS))
            return
        }
        try {
            serve(create(connection))
        } finally {
            admitted.decrementAndGet()
        }
    }

    private suspend fun serve(client: ClientConnection) {
        connected += client
        // Accepted just before the end, it may not have been among those that were told.
        if (isStopping) client.stop()
        try {
            client.serve()
        } finally {
            connected -= client
            late.addAndGet(client.lateRequests)
        }
    }

    /** Lets every client finish the request under way, and no other. Does not wait for it. */
    fun stop() {
        isStopping = true
        connected.forEach { client -> client.loop.execute { client.stop() } }
    }

    /** Closes those clients of [loop] that do not move; on that loop, until cancelled. */
    suspend fun watch(loop: EventLoop) {
        val shortest = minOf(timeout, idleTimeout ?: timeout)
        val interval = (shortest / CHECKS_PER_TIMEOUT).coerceIn(10.milliseconds, 1.seconds)
        loop.watch(interval) { nanos ->
            for (client in connected) {
                if (client.loop == loop && client.closeIfStalled(nanos, timeout, idleTimeout)) stalled.incrementAndGet()
            }
        }
    }

    private companion object {
        const val CHECKS_PER_TIMEOUT = 20
        val TOO_MANY_CLIENTS = "ERROR Too many open connections\r\n".toByteArray()
    }
}

/** Tells for how long something outstanding has not moved, from looks at it now and then. Not thread-safe. */
internal class Stall {
    private var outstanding = 0L
    private var sinceNanos = 0L

    /** It went on to something else. */
    fun moved() {
        outstanding = 0
    }

    /** For how long the same number of bytes was [outstanding] whenever somebody looked, up to [nanos]; 0 is nothing to wait for. */
    fun lastsFor(outstanding: Long, nanos: Long): Long {
        if (outstanding == 0L || outstanding != this.outstanding) sinceNanos = nanos
        this.outstanding = outstanding
        return nanos - sinceNanos
    }
}
