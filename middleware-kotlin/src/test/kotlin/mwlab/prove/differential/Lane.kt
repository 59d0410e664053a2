package mwlab.prove.differential

import mwlab.middleware.Dispatch
import mwlab.middleware.Middleware
import mwlab.middleware.MiddlewareConfig
import mwlab.middleware.routing.Routing
import mwlab.testing.ANY_PORT
import mwlab.testing.RealMemcached
import mwlab.testing.Running

/** A way to run the middleware that has to answer as one memcached does. */
internal enum class Lane(val servers: Int, val dispatch: Dispatch, val routing: Routing) {
    SEQUENTIAL(1, Dispatch.SEQUENTIAL, Routing.ROUND_ROBIN),
    PIPELINED(1, Dispatch.PIPELINED, Routing.ROUND_ROBIN),
    SEQUENTIAL_RING(1, Dispatch.SEQUENTIAL, Routing.CONSISTENT_HASH),
    PIPELINED_RING(1, Dispatch.PIPELINED, Routing.CONSISTENT_HASH),
    SEQUENTIAL_RING_OF_3(3, Dispatch.SEQUENTIAL, Routing.CONSISTENT_HASH),
    PIPELINED_RING_OF_3(3, Dispatch.PIPELINED, Routing.CONSISTENT_HASH),
    ;

    /** Several servers count `cas` uniques each for itself. */
    val hasUniques: Boolean get() = servers == 1
}

/** A memcached alone, and others behind a middleware, all new. */
internal class Systems(lane: Lane) : AutoCloseable {
    private val alone = RealMemcached(MEMORY_MIB)
    private val behind = List(lane.servers) { RealMemcached(MEMORY_MIB) }
    private val running = Running(
        Middleware(
            MiddlewareConfig(
                ANY_PORT,
                behind.map { it.address },
                workers = WORKERS,
                dispatch = lane.dispatch,
                routing = lane.routing,
                // With more at a time, workers would make changes of different keys in another order, as `cas` uniques tell.
                depth = if (lane.dispatch == Dispatch.SEQUENTIAL) 1 else WORKERS,
            ),
        ),
    )

    fun connect() = Exchange(alone.address, running.address)

    override fun close() {
        val ending = try {
            running.stop()
        } finally {
            (behind + alone).forEach { it.close() }
        }
        check(ending.fault == null) { "the middleware has failed: ${ending.fault}" }
    }

    private companion object {
        const val WORKERS = 2

        /** More than all values take: what is removed for want of memory differs between servers. */
        const val MEMORY_MIB = 1024
    }
}
