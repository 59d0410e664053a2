package mwlab.middleware.backend

import mwlab.memcached.RequestReader
import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.middleware.job.Server
import mwlab.middleware.reply.replyOf
import mwlab.middleware.routing.Router
import mwlab.net.EventLoop
import mwlab.options.Choice

/** What stands behind the workers: its servers, what they can be asked, and how. Clients, queue and workers do not know which it is. */
internal interface BackEnd {
    val servers: List<Server>

    /** Sees to it that the servers can be used; one that is down can. @throws BackEndUnusable if they cannot */
    suspend fun prepare() = Unit

    /** Reads the requests of one client, and refuses what no server is to see. */
    fun requestReader(): RequestReader

    /** Says which servers the requests go to that [worker] takes. */
    fun router(worker: Int): Router

    /** A new connection to [server] on [loop]; who asks for it runs it. */
    fun connectionTo(server: Server, loop: EventLoop): BackEndConnection

    /** The one reply to [job] that its calls, which are all done, make together. */
    fun replyTo(job: Job): Reply = replyOf(job)
}

/** With this back end nobody can be served: [message] says why, and what to do, in one line. */
internal class BackEndUnusable(override val message: String, cause: Throwable? = null) : Exception(message, cause)

enum class BackEndKind(override val option: String) : Choice {
    MEMCACHED("memcached"),
    POSTGRESQL("postgresql"),
    ECHO("echo"),
}
