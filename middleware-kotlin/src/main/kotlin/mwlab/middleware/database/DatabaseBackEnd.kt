package mwlab.middleware.database

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import mwlab.memcached.RequestReader
import mwlab.middleware.backend.BackEnd
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.job.Job
import mwlab.middleware.job.Server
import mwlab.middleware.messages.QueueRouter
import mwlab.middleware.messages.QueueRules
import mwlab.middleware.messages.queueReplyTo
import mwlab.net.EventLoop
import kotlin.time.Duration

/**
 * Message queues in the databases at [urls].
 *
 * @property isPrepared whether tables and functions are installed where they are not.
 * @property mostBytes the largest message that clients can send; a get ends with the one that goes beyond it.
 */
internal class DatabaseBackEnd(
    private val urls: List<DatabaseUrl>,
    private val locks: Locks,
    synchronousCommit: Boolean,
    private val isPrepared: Boolean,
    private val timeout: Duration,
    private val mostBytes: Int,
    private val onFailure: (Throwable) -> Unit,
) : BackEnd {
    private val connectors = urls.map { JdbcConnector(it, timeout, synchronousCommit) }

    override val servers = urls.mapIndexed { index, url -> Server(index, url.name) }

    override suspend fun prepare() = withContext(Dispatchers.IO) { servers.forEach(::prepare) }

    /** A database that is down is looked at when it is back, as every session begins with a look. */
    private fun prepare(server: Server) {
        var isReached = false
        try {
            connectors[server.index].connect().use {
                isReached = true
                if (isPrepared) Schema.install(it) else Schema.check(it)
            }
        } catch (unfit: DatabaseException) {
            if (isReached) throw BackEndUnusable("${server.name} ${unfit.message}", unfit)
            if (isPrepared) throw BackEndUnusable("${server.name} cannot be prepared: ${unfit.message}", unfit)
        }
    }

    override fun requestReader() = RequestReader(mostBytes, QueueRules.ADMIN_COMMANDS, QueueRules::objectionTo)

    override fun router(worker: Int) = QueueRouter(servers.size)

    override fun connectionTo(server: Server, loop: EventLoop) = DatabaseConnection(
        loop,
        server,
        timeout,
        open = { JdbcSession.open(it, connectors[server.index], Schema::check) },
        exchangeOf = { QueueExchange(it, locks, mostBytes) },
        onFailure,
    )

    override fun replyTo(job: Job) = queueReplyTo(job)
}
