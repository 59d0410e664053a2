package mwlab.middleware.job

/**
 * One of the servers behind the middleware; [index] is its place on the command line.
 *
 * @property name as replies and results name it: `<ip>:<port>`, a database `<host>:<port>/<name>`.
 */
internal class Server(val index: Int, val name: String) {
    /** The error that clients get for [reason]. */
    fun failure(reason: String): String = "SERVER_ERROR $name $reason"
}
