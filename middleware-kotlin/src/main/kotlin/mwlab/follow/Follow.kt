package mwlab.follow

import mwlab.net.numeric
import java.net.SocketAddress

/**
 * Which requests are followed through generator and middleware: one of [oneOf] of each connection. Immutable.
 *
 * Both know the client's port and number the requests of a connection from 0, in the order in which they are sent. So they choose the
 * same ones, with nothing on the wire to say so; so does who reads packets (`remote/packets/followed.py`). Of each [oneOf] requests one
 * is taken, at a place that differs by connection and moves on: where kinds of requests take turns, none is left out.
 */
class Follow(val oneOf: Int) {
    init {
        require(oneOf > 0) { "one of $oneOf requests cannot be followed" }
    }

    /** Whether request number [number] of the connection from [port] is followed. */
    fun takes(port: Int, number: Long): Boolean = number % oneOf == (port + number / oneOf * STEP) % oneOf

    companion object {
        /** A prime, so that the place comes round to all of [oneOf]. */
        private const val STEP = 7919L

        /** What `1/N` asks for; null if [text] is something else. */
        fun parse(text: String): Follow? =
            text.removePrefix("1/").toIntOrNull()?.takeIf { it > 0 && text == "1/$it" }?.let(::Follow)

        /** The client's end of a connection, as both sides name it: `<ip>:<port>`; `unix:` for all that come by a Unix domain socket. */
        fun nameOf(client: SocketAddress): String = client.numeric
    }
}
