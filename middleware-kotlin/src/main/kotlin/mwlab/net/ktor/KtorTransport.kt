package mwlab.net.ktor

import io.ktor.network.sockets.aSocket
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Listener
import mwlab.net.Transport
import mwlab.net.text
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.SocketTimeoutException
import kotlin.time.Duration
import io.ktor.network.sockets.InetSocketAddress as KtorAddress

/** ktor-network's sockets, with one of its byte channels for each direction; TCP only. */
internal object KtorTransport : Transport {
    override suspend fun connect(
        loop: EventLoop,
        address: SocketAddress,
        timeout: Duration,
        readBytes: Int,
    ): Connection {
        val selector = KtorSelector(loop)
        var connection: KtorConnection? = null
        var isConnected = false
        try {
            withTimeoutOrNull(timeout) {
                connection = KtorConnection(selector, aSocket(selector).tcp().connect(address.ofKtor()), readBytes)
            } ?: throw SocketTimeoutException("no answer from ${address.text} within $timeout")
            isConnected = true
        } finally {
            if (!isConnected) connection?.close()
        }
        return checkNotNull(connection)
    }

    override suspend fun bind(loop: EventLoop, address: SocketAddress): Listener {
        val selector = KtorSelector(loop)
        val socket = aSocket(selector).tcp().bind(address.ofKtor()) {
            reuseAddress = true
            backlogSize = Transport.BACKLOG
        }
        return KtorListener(loop, socket)
    }

    private fun SocketAddress.ofKtor() = (this as InetSocketAddress).let { KtorAddress(it.address.address, it.port) }
}
