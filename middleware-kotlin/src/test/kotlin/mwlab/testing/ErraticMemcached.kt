package mwlab.testing

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.net.EventLoop
import java.net.ConnectException
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * A memcached in virtual time and without sockets that answers gets, and to which everything happens, drawn from [random]: it pauses, answers
 * late, in pieces, wrongly or not at all, closes and refuses connections, and takes requests in pieces, too.
 */
class ErraticMemcached(private val random: Random) {
    private var pausedUntilNanos = 0L
    private var refusesUntilNanos = 0L

    /** How often something else than an answer has happened. */
    var mishaps = 0
        private set

    /** A new connection on [loop]. */
    fun connectOn(loop: EventLoop): MemoryConnection {
        if (loop.clock.nanos() < refusesUntilNanos) throw ConnectException("Connection refused")
        return Link(loop).connection
    }

    private fun oneOf(count: Int): Boolean = random.nextInt(count) == 0

    private fun upTo(longest: Duration): Long = random.nextLong(longest.inWholeNanoseconds)

    private inner class Link(private val loop: EventLoop) {
        private val reader = RequestReader(maxValueBytes = 1 shl 20)
        private val requests = Messages { buffer -> reader.next(buffer)?.let { it to it.length } }
        private var freeNanos = 0L
        private var isSilent = false
        val connection = MemoryConnection(loop) { read(it) }

        private fun read(bytes: ByteArray) {
            requests.read(bytes, ::serve)
            if (oneOf(ROOM)) after(upTo(1.milliseconds)) { takeSlowly() }
        }

        private fun serve(request: Request, line: String) {
            val now = loop.clock.nanos()
            if (oneOf(PAUSES)) pausedUntilNanos = now + upTo(LONGEST_PAUSE).also { mishaps++ }
            freeNanos = maxOf(freeNanos, now, pausedUntilNanos) + 10.microseconds.inWholeNanoseconds +
                upTo(if (oneOf(LATE_ANSWERS)) LONGEST_PAUSE else 2.milliseconds)
            val reply = if (request is Request.Retrieval) valuesOf(line.trim().split(' ').drop(1)) else "VERSION 1\r\n"
            if (oneOf(FAILURES)) fail(random.nextInt(KINDS_OF_FAILURE)) else answer(reply)
        }

        private fun answer(reply: String) {
            val cut = if (oneOf(PIECES)) random.nextInt(1, reply.length) else reply.length
            at(freeNanos) { receive(reply.take(cut)) }
            if (cut == reply.length) return
            freeNanos += upTo(if (oneOf(2)) LONGEST_PAUSE else 50.milliseconds)
            at(freeNanos) { receive(reply.drop(cut)) }
        }

        private fun fail(kind: Int) {
            mishaps++
            at(freeNanos) {
                when (kind) {
                    0 -> connection.receiveEnd()
                    1 -> connection.breakOff()
                    2 -> receive("what is this\r\n")
                    3 -> refusesUntilNanos = loop.clock.nanos() + upTo(LONGEST_PAUSE).also { connection.receiveEnd() }
                    else -> isSilent = true
                }
            }
        }

        private fun receive(text: String) {
            if (!isSilent) connection.receive(text)
        }

        /** The socket's buffer is as good as full for a while. */
        private fun takeSlowly() {
            mishaps++
            connection.makeRoom(random.nextInt(100))
            after(upTo(if (oneOf(PAUSES)) LONGEST_PAUSE else 50.milliseconds)) { connection.makeRoom(Int.MAX_VALUE) }
        }

        private fun at(nanos: Long, block: () -> Unit) = loop.startTimer(nanos) { if (!connection.isClosed) block() }

        private fun after(nanos: Long, block: () -> Unit) = at(loop.clock.nanos() + nanos, block)
    }

    companion object {
        /** A pause, a late answer, or a time without connections takes up to so long. */
        val LONGEST_PAUSE = 5.seconds

        // One of so many requests is met by each of these.
        private const val PAUSES = 300
        private const val LATE_ANSWERS = 300
        private const val FAILURES = 100
        private const val PIECES = 10
        private const val ROOM = 50
        private const val KINDS_OF_FAILURE = 5

        /** What a get of [keys] finds: there is a value of every key. */
        fun valuesOf(keys: List<String>): String =
            keys.joinToString("") { key -> valueOf(key).let { "VALUE $key 0 ${it.length}\r\n$it\r\n" } } + "END\r\n"

        private fun valueOf(key: String): String = "$key,".repeat(1 + key.hashCode().mod(MOST_REPETITIONS))

        private const val MOST_REPETITIONS = 1000
    }
}
