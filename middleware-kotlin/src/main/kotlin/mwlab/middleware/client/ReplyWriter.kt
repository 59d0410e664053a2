package mwlab.middleware.client

import mwlab.middleware.job.Job
import mwlab.middleware.job.Reply
import mwlab.net.Connection
import mwlab.net.Outbox
import java.io.IOException

/**
 * Writes replies to one client, in the order in which they come. Confined to the loop of the [connection].
 *
 * @param onSent runs for each job whose reply is written to its end, with the time of that.
 * @param onLost runs for each job whose reply cannot be written, since the client is gone.
 * @param onFlushed runs after the replies that were gathered in a turn of the loop were given to the socket.
 */
internal class ReplyWriter(
    private val connection: Connection,
    private val onSent: (job: Job, nanos: Long) -> Unit,
    private val onLost: (Job) -> Unit,
    private val onFlushed: () -> Unit,
) {
    private val loop = connection.loop
    private val outbox = Outbox<Job?>(loop.buffers, loop.clock) { job, nanos -> job?.let { onSent(it, nanos) } }
    private val flushAtEndOfTurn = Runnable(::flush)
    private var isFlushDue = false

    /** The socket takes nothing at the moment. */
    var isFull = false
        private set

    /** Why nothing can be written any more; null as long as the client is there. */
    var lost: Throwable? = null
        private set

    /** Whether all replies are written. */
    val isEmpty: Boolean get() = outbox.isEmpty

    /** Replies that are not written, or not to their end. */
    val size: Int get() = outbox.size

    val remainingBytes: Long get() = outbox.remainingBytes

    /** Writes [reply] to [job]: at once if it [isAlone], otherwise together with the others of this turn of the loop. Does not fail. */
    @Suppress("TooGenericExceptionCaught") // the boundary of one client: it is called by what serves others, too
    fun write(job: Job, reply: Reply, isAlone: Boolean) {
        if (lost != null) return onLost(job)
        try {
            if (isAlone && outbox.isEmpty) {
                if (connection.tryWrite(reply.buffers)) return onSent(job, loop.clock.nanos())
                isFull = true
            }
            if (isFull) return outbox.keep(job, reply.buffers)
            if (outbox.add(job, reply.buffers, reply.length)) job.release(loop.buffers)
        } catch (failure: Throwable) {
            onLost(job)
            return lose(failure)
        }
        if (outbox.isFull) return writeOut()
        if (isFlushDue) return
        isFlushDue = true
        loop.atEndOfTurn(flushAtEndOfTurn)
    }

    /** Writes a [line] that belongs to no job, given without its end. */
    fun writeLine(line: String) {
        val reply = Reply.line(line)
        outbox.add(null, reply.buffers, reply.length)
        writeOut()
    }

    /** Suspends until the socket takes bytes again, and goes on writing. */
    suspend fun awaitRoom() {
        try {
            connection.awaitWritable()
            isFull = false
            writeOut()
        } catch (gone: IOException) {
            lose(gone)
        }
    }

    private fun flush() {
        isFlushDue = false
        writeOut()
        onFlushed()
    }

    @Suppress("TooGenericExceptionCaught") // as of write
    private fun writeOut() {
        if (lost != null || isFull) return
        try {
            isFull = !outbox.write(connection::tryWrite)
        } catch (failure: Throwable) {
            lose(failure)
        }
    }

    private fun lose(cause: Throwable) {
        lost = cause
        isFull = false
        outbox.forEachOwner { job -> job?.let(onLost) }
        outbox.clear()
    }
}
