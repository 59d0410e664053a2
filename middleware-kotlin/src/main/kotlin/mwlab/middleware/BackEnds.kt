package mwlab.middleware

import mwlab.memcached.AdminCommands
import mwlab.memcached.RequestReader
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndKind
import mwlab.middleware.backend.EchoBackEnd
import mwlab.middleware.database.DatabaseBackEnd
import mwlab.middleware.routing.FirstServer
import mwlab.middleware.routing.ReplicaRouter
import mwlab.middleware.routing.Ring
import mwlab.middleware.routing.RingRouter
import mwlab.middleware.routing.Router
import mwlab.middleware.routing.Routing
import mwlab.middleware.server.MemcachedBackEnd
import mwlab.net.Transport

/**
 * What stands behind the workers of a middleware with [config].
 *
 * @param onFailure is told of what should never happen to a connection; it ends that one for a while.
 */
internal fun backEndOf(config: MiddlewareConfig, transport: Transport, onFailure: (Throwable) -> Unit): BackEnd =
    when (config.backEnd) {
        BackEndKind.MEMCACHED -> memcachedOf(config, transport, onFailure)

        BackEndKind.POSTGRESQL -> DatabaseBackEnd(
            config.databases,
            config.locks,
            config.synchronousCommit,
            config.prepareDatabase,
            config.serverTimeout,
            config.maxValueBytes,
            onFailure,
        )

        BackEndKind.ECHO -> EchoBackEnd(config.maxValueBytes)
    }

private fun memcachedOf(config: MiddlewareConfig, transport: Transport, onFailure: (Throwable) -> Unit): BackEnd {
    val isSequential = config.dispatch == Dispatch.SEQUENTIAL
    val adminCommands = AdminCommands(config.adminCommands, areDumpsAllowed = isSequential)
    return MemcachedBackEnd(
        config.servers,
        transport,
        config.serverTimeout,
        areShared = !isSequential,
        onFailure,
        newRouter = { routerOf(config, it) },
        newReader = { RequestReader(config.maxValueBytes, adminCommands) },
    )
}

private fun routerOf(config: MiddlewareConfig, worker: Int): Router {
    val servers = config.servers.size
    return when (config.routing) {
        Routing.ROUND_ROBIN -> ReplicaRouter(servers, config.sharded, FirstServer.inTurn(servers, worker))
        Routing.HASH -> ReplicaRouter(servers, config.sharded, FirstServer.byHash(servers))
        Routing.CONSISTENT_HASH -> RingRouter(Ring(config.servers, config.ring), config.replicas ?: 1)
    }
}
