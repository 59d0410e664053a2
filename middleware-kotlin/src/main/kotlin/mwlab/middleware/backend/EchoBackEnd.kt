package mwlab.middleware.backend

import mwlab.memcached.RequestReader
import mwlab.middleware.job.Server
import mwlab.middleware.routing.FirstServer
import mwlab.middleware.routing.ReplicaRouter
import mwlab.middleware.routing.Router
import mwlab.net.EventLoop

/** No server at all: the worker answers by itself, which shows what the middleware alone costs. */
internal class EchoBackEnd(private val maxValueBytes: Int) : BackEnd {
    override val servers = listOf(Server(0, "echo"))

    override fun requestReader() = RequestReader(maxValueBytes)

    override fun router(worker: Int): Router =
        ReplicaRouter(servers.size, sharded = false, FirstServer.inTurn(servers.size, worker))

    override fun connectionTo(server: Server, loop: EventLoop) = EchoConnection(loop, server)
}
