package mwlab.testing

import kotlinx.coroutines.CompletableDeferred
import mwlab.memcached.RequestReader
import mwlab.metrics.EpochClock
import mwlab.metrics.LastArrival
import mwlab.metrics.Recorder
import mwlab.metrics.stats.JobTimes
import mwlab.middleware.job.Client
import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.net.EventLoop
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.microseconds

/** The job of [client] that asks for [command], given without its line end, as [reader] reads it. */
internal fun jobOf(command: String, client: Client, reader: RequestReader = RequestReader(1 shl 20)): Job {
    val bytes = bytes("$command\r\n")
    return Job(client, reader.next(bytes)!!, bytes, JobTimes())
}

/** Counts what happens on [loop], for [workers] and [servers]. */
internal fun recorderOf(loop: EventLoop, servers: Int = 2, workers: Int = 2) = Recorder(
    Recorder.Shape(servers, workers, 100.microseconds),
    EpochClock(loop.clock, offsetNanos = 0),
    LastArrival(),
    netThread = 0,
    cpuNanos = { 0 },
    startNanos = loop.clock.nanos(),
)

/** Where all clients of tests come from. */
internal val CLIENT_ADDRESS = InetSocketAddress("127.0.0.1", 4000)

/** A client on a loop of its own, for one reply. */
internal class RemoteClient(override val loop: EventLoop) : Client {
    override val address = CLIENT_ADDRESS

    /** The text of the reply. */
    val delivered = CompletableDeferred<String>()

    override fun deliver(job: Job, reply: Reply) {
        check(loop.isCurrent) { "delivered on another thread" }
        delivered.complete(Charsets.ISO_8859_1.decode(reply.buffers.single().duplicate()).toString())
        job.release(loop.buffers)
    }
}

/** A client that keeps what it is given; [takesAll] is false for one whose socket is full, so that its jobs are not released. */
internal class FakeClient(private val ownLoop: EventLoop?, private val takesAll: Boolean = true) : Client {
    override val loop: EventLoop get() = checkNotNull(ownLoop) { "a client that nobody answers needs no loop" }
    override val address = CLIENT_ADDRESS

    /** The text of each reply, in the order in which they came. */
    val replies = mutableListOf<String>()

    /** What the client has to write by itself, if its socket is full. */
    var kept: Reply? = null
        private set

    override fun deliver(job: Job, reply: Reply) {
        check(loop.isCurrent) { "delivered on another thread" }
        replies += reply.buffers.joinToString("") { text(it) }
        if (takesAll) job.release(loop.buffers) else kept = reply
    }

    private fun text(buffer: ByteBuffer) = Charsets.ISO_8859_1.decode(buffer.duplicate()).toString()
}
