package mwlab.testing

import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import kotlin.random.Random

/**
 * A port of the loopback address where nobody listens.
 *
 * The port is below those that the kernel gives to connections. Otherwise, until the test binds it, a connection of another test could
 * get it, and a client that connects to it again and again could at last reach itself.
 */
fun freePort(): Int {
    while (true) {
        val port = Random.nextInt(FIRST_PORT, FIRST_PORT_OF_CONNECTIONS)
        try {
            ServerSocket().use { it.bind(InetSocketAddress(InetAddress.getLoopbackAddress(), port)) }
            return port
        } catch (_: IOException) {
            continue // Taken: try another one.
        }
    }
}

private const val FIRST_PORT = 15_000
private const val FIRST_PORT_OF_CONNECTIONS = 32_768
