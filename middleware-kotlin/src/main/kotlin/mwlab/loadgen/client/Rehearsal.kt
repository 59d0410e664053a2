package mwlab.loadgen.client

import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import mwlab.loadgen.measure.ErrorLog
import mwlab.loadgen.measure.LiveCounters
import mwlab.loadgen.measure.ReplyRecorder
import mwlab.loadgen.measure.RunLimit
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Target
import mwlab.loadgen.request.RunClock
import mwlab.loadgen.workload.Workload
import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.net.Connection
import mwlab.net.EventLoop
import mwlab.net.loop.LoopTransport
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Sends the run's kind of requests to a server inside this process, until the JVM has compiled what the clients run:
 * otherwise the first second of a run would show the generator's warm-up instead of the server's response times.
 * The system under test sees nothing of it.
 */
internal class Rehearsal(options: Options) {
    private val options = options.copy(target = Target())
    private val reply = ByteBuffer.allocateDirect(options.mix.multiKeyGet.coerceAtLeast(1) * VALUE.size + LONGEST_LINE)

    /** Takes at most half a second; on the loop's thread. Without a loopback interface there is no rehearsal. */
    suspend fun run(loop: EventLoop) {
        try {
            withTimeoutOrNull(LIMIT * 2) { perform(loop) }
        } catch (_: IOException) {
            return
        }
    }

    private suspend fun perform(loop: EventLoop) = coroutineScope {
        val address = InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
        LoopTransport.bind(loop, address).use { listener ->
            launch { listener.serve(listOf(loop), onFailure = {}) { serve(it) } }
            rehearse(loop, listener.address)
        }
    }

    private suspend fun rehearse(loop: EventLoop, address: SocketAddress) {
        val clock = RunClock.startingNow()
        val limit = RunLimit(clock.startNanos, clock.startNanos + LIMIT.inWholeNanoseconds)
        val recorder = ReplyRecorder(clock, LiveCounters(), ErrorLog("rehearsal", reportAll = false) {})
        val workload = Workload(options, connection = 0, baseSeed = 0)
        val client = Client({ LoopTransport.connect(loop, address, 1.seconds) }, loop, options, workload, REQUESTS)
        client.connect()
        client.run(EagerPace(limit, loop.clock), recorder)
    }

    private suspend fun serve(connection: Connection) {
        val requests = RequestReader(Int.MAX_VALUE)
        while (connection.fill()) {
            while (true) {
                val request = requests.next(connection.input) ?: break
                connection.consume(request.length)
                connection.write(replyTo(request))
            }
        }
    }

    /** As if every key were there. */
    private fun replyTo(request: Request): ByteBuffer {
        reply.clear()
        when (request) {
            is Request.Retrieval -> {
                repeat(request.keys.count) { reply.put(VALUE) }
                reply.put(END)
            }

            else -> reply.put(STORED)
        }
        return reply.flip()
    }

    private companion object {
        const val REQUESTS = 3000L
        val LIMIT = 250.milliseconds
        const val LONGEST_LINE = 64
        val VALUE = "VALUE key 0 1 1\r\nx\r\n".toByteArray()
        val END = "END\r\n".toByteArray()
        val STORED = "STORED\r\n".toByteArray()
    }
}
