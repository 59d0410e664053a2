package mwlab.middleware.database

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import mwlab.memcached.RequestReader
import mwlab.middleware.MiddlewareConfig
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.job.Job
import mwlab.middleware.job.Server
import mwlab.middleware.messages.QueueRouter
import mwlab.middleware.messages.QueueRules
import mwlab.middleware.messages.queueReplyTo
import mwlab.net.EventLoop

/** Message queues in the databases of [config]. */
internal class DatabaseBackEnd(private val config: MiddlewareConfig, private val onFailure: (Throwable) -> Unit) :
    BackEnd {
    private val timeout = config.serverTimeout
    private val connectors = config.databases.map { JdbcConnector(it, timeout, config.synchronousCommit) }

    override val servers = config.databases.mapIndexed { index, url -> Server(index, url.name) }

    override suspend fun prepare() = withContext(Dispatchers.IO) { servers.forEach(::prepare) }

    /** A database that is down is looked at when it is back, as every session begins with a look. */
    private fun prepare(server: Server) {
        var isReached = false
        try {
            connectors[server.index].connect().use {
                isReached = true
                if (config.prepareDatabase) Schema.install(it) else Schema.check(it)
            }
        } catch (unfit: DatabaseException) {
            if (isReached) throw BackEndUnusable("${server.name} ${unfit.message}", unfit)
            if (config.prepareDatabase) {
                throw BackEndUnusable(
                    "${server.name} cannot be prepared: ${unfit.message}",
                    unfit,
                )
            }
        }
    }

    override fun requestReader() =
        RequestReader(config.maxValueBytes, QueueRules.ADMIN_COMMANDS, QueueRules::objectionTo)

    override fun router(worker: Int) = QueueRouter(servers.size)

    override fun connectionTo(server: Server, loop: EventLoop) = DatabaseConnection(
        loop,
        server,
        timeout,
        open = { JdbcSession.open(it, connectors[server.index], Schema::check) },
        exchangeOf = { QueueExchange(it, config.locks, config.maxValueBytes) },
        onFailure,
    )

    override fun replyTo(job: Job) = queueReplyTo(job)
}
