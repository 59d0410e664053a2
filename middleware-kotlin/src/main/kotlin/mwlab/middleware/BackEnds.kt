package mwlab.middleware

import mwlab.memcached.AdminCommands
import mwlab.memcached.RequestReader
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndKind
import mwlab.middleware.backend.EchoBackEnd
import mwlab.middleware.database.DatabaseBackEnd
import mwlab.middleware.job.Server
import mwlab.middleware.routing.FirstServer
import mwlab.middleware.routing.ReplicaRouter
import mwlab.middleware.routing.Ring
import mwlab.middleware.routing.RingRouter
import mwlab.middleware.routing.Router
import mwlab.middleware.routing.Routing
import mwlab.middleware.server.ServerConnection
import mwlab.net.EventLoop
import mwlab.net.Transport
import mwlab.net.text

/** What stands behind the workers of a middleware with [config]; [onFailure] hears what should never happen to a connection. */
internal fun backEndOf(config: MiddlewareConfig, transport: Transport, onFailure: (Throwable) -> Unit): BackEnd =
    when (config.backEnd) {
        BackEndKind.MEMCACHED -> MemcachedBackEnd(config, transport, onFailure)

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

internal class MemcachedBackEnd(
    private val config: MiddlewareConfig,
    private val transport: Transport,
    private val onFailure: (Throwable) -> Unit,
) : BackEnd {
    private val isShared = config.dispatch == Dispatch.PIPELINED
    private val readBytes = if (isShared) ServerConnection.SHARED_READ_BYTES else ServerConnection.READ_BYTES
    private val adminCommands = AdminCommands(config.adminCommands, areDumpsAllowed = !isShared)

    override val servers = config.servers.mapIndexed { index, address -> Server(index, address.text) }

    override fun requestReader() = RequestReader(config.maxValueBytes, adminCommands)

    override fun router(worker: Int): Router = when (config.routing) {
        Routing.ROUND_ROBIN -> replicas(FirstServer.inTurn(servers.size, worker))
        Routing.HASH -> replicas(FirstServer.byHash(servers.size))
        Routing.CONSISTENT_HASH -> RingRouter(Ring(config.servers, config.ring), config.replicas ?: 1)
    }

    private fun replicas(firstServer: FirstServer) = ReplicaRouter(servers.size, config.sharded, firstServer)

    override fun connectionTo(server: Server, loop: EventLoop): ServerConnection {
        val address = config.servers[server.index]
        return ServerConnection(transport, loop, server, address, config.serverTimeout, onFailure, readBytes)
    }
}
