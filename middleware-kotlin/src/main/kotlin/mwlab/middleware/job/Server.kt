package mwlab.middleware.job

import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/**
 * One of the servers behind the middleware; [index] is its place on the command line.
 *
 * @property name as replies and results name it: `<ip>:<port>`, a database `<host>:<port>/<name>`.
 */
internal class Server(val index: Int, val name: String) {
    /** The error that clients get for [reason]. */
    fun failure(reason: String): String = "SERVER_ERROR $name $reason"
}

/**
 * How long a call may take before it is given up.
 *
 * @property hasAlternative it can be made of another server then, so that there is no point in asking one that is silent.
 */
internal class Patience(val nanos: Long, val hasAlternative: Boolean) {
    override fun toString(): String = nanos.nanoseconds.inWholeMilliseconds.milliseconds.toString()

    companion object {
        /** As long as the connection itself has patience with its server. */
        val OF_THE_CONNECTION = Patience(Long.MAX_VALUE, hasAlternative = false)
    }
}
