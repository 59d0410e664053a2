package mwlab.middleware.job

import mwlab.net.text
import java.net.InetSocketAddress

/** One of the memcached servers; [index] is its place on the command line. */
internal class Server(val index: Int, val address: InetSocketAddress) {
    /** `<ip>:<port>`, as replies and results name the server. */
    val name: String = address.text

    /** The error that clients get for [reason]. */
    fun failure(reason: String): String = "SERVER_ERROR $name $reason"
}
