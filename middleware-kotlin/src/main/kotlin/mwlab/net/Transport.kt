package mwlab.net

import java.io.IOException
import java.net.SocketAddress
import kotlin.time.Duration

/** Opens connections whose bytes are moved in one way. */
interface Transport {
    /**
     * Connects to [address]; call on the loop's thread. Cancelled or failed, it leaves no socket behind.
     *
     * @param readBytes how much one read takes at most while no message is larger.
     * @throws IOException if the peer refuses, or does not answer within [timeout].
     */
    suspend fun connect(
        loop: EventLoop,
        address: SocketAddress,
        timeout: Duration,
        readBytes: Int = READ_BYTES,
    ): Connection

    /**
     * Binds to [address] (port 0: any free one); call on the loop's thread.
     *
     * @throws IOException if the address is in use or not of this host.
     */
    suspend fun bind(loop: EventLoop, address: SocketAddress): Listener

    companion object {
        /** Of an accepted connection. */
        const val READ_BYTES = 8 * 1024
        internal const val BACKLOG = 4096
    }
}
