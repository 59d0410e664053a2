package mwlab.net

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.net.ktor.KtorTransport
import mwlab.net.loop.LoopTransport
import mwlab.testing.UsesSockets
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.Socket
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** What holds for every connection, whoever moves its bytes. */
@UsesSockets
abstract class ConnectionTest(private val transport: Transport) {
    private val loopback = InetSocketAddress(InetAddress.getLoopbackAddress(), 0)

    private fun onLoop(block: suspend CoroutineScope.(EventLoop) -> Unit) = EventLoop("test").use { loop ->
        runBlocking(loop) { withTimeout(5.minutes) { block(loop) } }
    }

    private suspend fun CoroutineScope.serve(
        loop: EventLoop,
        failures: MutableList<Throwable>,
        handler: suspend (Connection) -> Unit,
    ): Listener {
        val listener = transport.bind(loop, loopback)
        launch { listener.serve(listOf(loop), onFailure = { failures += it }, handler = handler) }
        return listener
    }

    private suspend fun CoroutineScope.echo(loop: EventLoop) = serve(loop, mutableListOf()) { connection ->
        while (connection.fill()) connection.write(connection.input)
    }

    private fun socketTo(listener: Listener) = Socket().apply { connect(listener.address) }

    private suspend fun open(loop: EventLoop, listener: Listener) = transport.connect(loop, listener.address, 5.seconds)

    @Test
    fun `bytes of every size come back as they were sent`() = onLoop { loop ->
        echo(loop).use { listener ->
            for (size in listOf(1, 2, 1023, 1024, 4096, 16383, 16384, 16385, 8 shl 20)) {
                val sent = Random(size).nextBytes(size)
                open(loop, listener).use { connection ->
                    val writing = launch { connection.write(ByteBuffer.wrap(sent)) }
                    while (connection.input.remaining() < size) assertTrue(connection.fill())
                    writing.join()
                    assertEquals(ByteBuffer.wrap(sent), connection.input)
                }
            }
        }
    }

    @Test
    fun `several buffers are written in order`() = onLoop { loop ->
        echo(loop).use { listener ->
            open(loop, listener).use { connection ->
                val parts = Array(40) { ByteBuffer.wrap(ByteArray(100_000) { byte -> (it + byte).toByte() }) }
                val writing = launch { connection.write(parts) }
                while (connection.input.remaining() < 4_000_000) assertTrue(connection.fill())
                writing.join()
                repeat(4_000_000) { assertEquals((it / 100_000 + it % 100_000).toByte(), connection.input.get()) }
            }
        }
    }

    @Test
    fun `a peer that ends its side still gets its answer`() = onLoop { loop ->
        echo(loop).use { listener ->
            socketTo(listener).use { peer ->
                withContext(Dispatchers.IO) {
                    peer.getOutputStream().write(byteArrayOf(1, 2, 3))
                    peer.shutdownOutput()
                    assertEquals(listOf<Byte>(1, 2, 3), peer.getInputStream().readAllBytes().toList())
                }
            }
        }
    }

    @Test
    fun `taken bytes leave the rest`() = onLoop { loop ->
        echo(loop).use { listener ->
            open(loop, listener).use { connection ->
                for (size in listOf(10, 5000)) {
                    connection.write(ByteBuffer.wrap(ByteArray(size + 2) { it.toByte() }))
                    while (connection.input.remaining() < size + 2) assertTrue(connection.fill())
                    val first = connection.take(size)
                    val second = connection.take(2)
                    assertEquals(ByteBuffer.wrap(ByteArray(size) { it.toByte() }), first)
                    assertEquals(ByteBuffer.wrap(byteArrayOf(size.toByte(), (size + 1).toByte())), second)
                    assertFalse(connection.input.hasRemaining())
                    loop.buffers.release(first)
                    loop.buffers.release(second)
                }
            }
        }
    }

    @Test
    fun `closing fails whoever waits, and twice is once`() = onLoop { loop ->
        echo(loop).use { listener ->
            val connection = open(loop, listener)
            val reading = async { runCatching { connection.fill() } }
            launch { connection.close() }.join()
            assertTrue(reading.await().exceptionOrNull() is ClosedChannelException)
            connection.close()
            assertFailsWith<ClosedChannelException> { connection.fill() }
            assertFailsWith<ClosedChannelException> { connection.write(ByteBuffer.allocate(1)) }
        }
    }

    @Test
    fun `a refused connection says so`() = onLoop { loop ->
        val listener = transport.bind(loop, loopback)
        listener.close()
        assertFailsWith<IOException> { open(loop, listener) }
    }

    @Test
    fun `a connection that nobody answers times out`() = onLoop { loop ->
        // A full backlog leaves further connections unanswered.
        val listener = java.net.ServerSocket(0, 1, loopback.address)
        val address = listener.localSocketAddress as InetSocketAddress
        listener.use {
            val failure = assertFailsWith<IOException> {
                repeat(10) { transport.connect(loop, address, 200.milliseconds) }
            }
            assertEquals("no answer from ${address.text} within 200ms", failure.message)
        }
    }

    @Test
    fun `a handler that fails leaves the others and the listener alive`() = onLoop { loop ->
        val failures = mutableListOf<Throwable>()
        val listener = serve(loop, failures) { connection ->
            connection.fill()
            if (connection.input.get() != 0.toByte()) throw AssertionError("not zero")
            connection.write(ByteBuffer.wrap(byteArrayOf(42)))
        }
        listener.use {
            val good = open(loop, listener)
            val bad = open(loop, listener)
            bad.write(ByteBuffer.wrap(byteArrayOf(1)))
            assertFalse(bad.fill())
            good.write(ByteBuffer.wrap(byteArrayOf(0)))
            assertTrue(good.fill())
            assertEquals(listOf("not zero"), failures.map { it.message })
            open(loop, listener).close()
        }
    }

    @Test
    fun `a closed listener waits for its handlers`() = onLoop { loop ->
        val listener = transport.bind(loop, loopback)
        val serving =
            launch {
                listener.serve(listOf(loop), onFailure = {
                }) { connection -> while (connection.fill()) connection.write(connection.input) }
            }
        val connection = open(loop, listener)
        connection.write(ByteBuffer.wrap(byteArrayOf(1)))
        connection.fill()
        listener.close()
        assertTrue(serving.isActive)
        connection.close()
        serving.join()
    }

    @Test
    fun `what was written is sent though the connection is closed at once`() = onLoop { loop ->
        val sent = Random(1).nextBytes(4 shl 20)
        val listener = serve(loop, mutableListOf()) { it.write(ByteBuffer.wrap(sent)) }
        listener.use {
            val received = withContext(Dispatchers.IO) {
                socketTo(listener).use { peer ->
                    peer.getInputStream().readAllBytes()
                }
            }
            assertEquals(ByteBuffer.wrap(sent), ByteBuffer.wrap(received))
        }
    }

    @Test
    fun `a peer that takes nothing does not keep a connection that is closed`() = onLoop { loop ->
        val accepted = CompletableDeferred<Unit>()
        val listener = transport.bind(loop, loopback)
        val serving = launch {
            listener.serve(listOf(loop), onFailure = {}) { connection ->
                accepted.complete(Unit)
                val bytes = ByteBuffer.allocateDirect(32 shl 20)
                withTimeoutOrNull(300.milliseconds) { connection.write(bytes) }
                assertTrue(bytes.hasRemaining())
            }
        }
        socketTo(listener).use {
            accepted.await()
            listener.close()
            serving.join()
        }
    }

    @Test
    fun `a writer waits until the peer reads, and then sees that there is room`() = onLoop { loop ->
        val started = System.nanoTime()
        val listener = serve(loop, mutableListOf()) { connection ->
            delay(50.milliseconds)
            while (connection.fill()) connection.consume(connection.input.remaining())
        }
        listener.use {
            open(loop, listener).use { connection ->
                val bytes = ByteBuffer.allocateDirect(32 shl 20)
                assertFalse(connection.tryWrite(arrayOf(bytes)))
                connection.write(bytes)
                assertTrue(connection.lastRoomNanos > started)
            }
        }
    }
}

class LoopConnectionTest : ConnectionTest(LoopTransport)

class KtorConnectionTest : ConnectionTest(KtorTransport)
