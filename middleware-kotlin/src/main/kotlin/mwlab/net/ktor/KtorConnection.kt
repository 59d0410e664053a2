package mwlab.net.ktor

import io.ktor.network.selector.Selectable
import io.ktor.network.sockets.Socket
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.launch
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.Timer
import mwlab.net.buffer.Input
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import java.nio.channels.SocketChannel
import kotlin.time.Duration.Companion.seconds

/**
 * A connection over a socket of ktor-network: one coroutine moves what comes into a channel, another one what goes out of one.
 *
 * What is written and not yet taken by the socket (at most 64 KiB) is held by the connection, also after [close], which ends it
 * within three seconds.
 */
internal class KtorConnection(private val selector: KtorSelector, socket: Socket, readBytes: Int) : Connection {
    override val loop: EventLoop get() = selector.loop
    override val localAddress get() = channel.localAddress
    override val remoteAddress get() = channel.remoteAddress
    override val input: ByteBuffer get() = received.bytes

    override var lastReadNanos = 0L
        private set
    override val lastRoomNanos: Long get() = sender.lastRoomNanos

    private val socket = socket as Selectable
    private val channel = this.socket.channel as SocketChannel
    private val received = Input(loop.buffers, readBytes)
    private val receiver = KtorReceiver(selector, this.socket, readBytes)
    private val sender = KtorSender(selector, this.socket)
    private val scope =
        CoroutineScope(loop + SupervisorJob() + CoroutineExceptionHandler { _, cause -> fail(cause) })
    private var isClosed = false
    private var deadline: Timer? = null

    private val receiving: Job

    /** Ends when nothing more can be sent. */
    private val sending: Job

    init {
        receiving = scope.launch { receiver.run() }
        sending = scope.launch { sender.run() }
        sending.invokeOnCompletion { end() }
    }

    override suspend fun fill(): Boolean {
        if (isClosed) throw ClosedChannelException()
        received.shrink()
        if (!receiver.awaitContent()) return false
        received.append(receiver::read)
        lastReadNanos = receiver.lastReadNanos
        return true
    }

    override fun consume(length: Int) = received.consume(length)

    override fun keep(length: Int) = received.keep(length)

    override fun take(length: Int): ByteBuffer = received.take(length)

    override fun tryWrite(buffers: Array<ByteBuffer>): Boolean {
        if (isClosed) throw ClosedChannelException()
        return sender.put(buffers)
    }

    override suspend fun awaitWritable() {
        if (isClosed) throw ClosedChannelException()
        sender.awaitRoom()
    }

    override fun endOutput() {
        scope.launch {
            sender.awaitSent()
            if (channel.isOpen) channel.shutdownOutput()
        }
    }

    override fun close() {
        if (!loop.isCurrent) return loop.execute(::close)
        if (isClosed) return
        isClosed = true
        received.release()
        receiving.cancel()
        receiver.cancel(ClosedChannelException())
        sender.close(ClosedChannelException())
        if (sender.unsentBytes == 0) return end()
        deadline = loop.startTimer(loop.clock.nanos() + LONGEST_END.inWholeNanoseconds, ::end)
    }

    /** Suspends until the connection was closed and has sent what it could. */
    suspend fun awaitEnd() = sending.join()

    private fun fail(cause: Throwable) {
        receiver.cancel(cause)
        sender.cancel(cause)
        end()
    }

    /** `Socket.close` would do the same, later and on another thread. */
    private fun end() {
        deadline?.dispose()
        channel.close()
        selector.notifyClosed(socket)
    }

    private companion object {
        val LONGEST_END = 3.seconds
    }
}
