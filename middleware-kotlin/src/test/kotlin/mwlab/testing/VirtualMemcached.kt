package mwlab.testing

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Verb
import mwlab.net.EventLoop
import kotlin.time.Duration

/**
 * A memcached in virtual time and without sockets that knows get, set and delete, and answers to version at once. Each of its connections answers one request at a time,
 * after [serviceTime].
 *
 * @param answer may replace a reply, as with [FakeMemcached]: null closes the connection, "" says nothing
 */
class VirtualMemcached(
    private val serviceTime: () -> Duration,
    private val answer: (line: String, reply: String) -> String? = { _, reply -> reply },
) {
    /** The command lines, in the order of their arrival. */
    val lines = mutableListOf<String>()
    val values = mutableMapOf<String, String>()

    /** A new connection on [loop]. */
    fun connectOn(loop: EventLoop): MemoryConnection = Link(loop).connection

    private inner class Link(private val loop: EventLoop) {
        private val reader = RequestReader(maxValueBytes = 1 shl 20)
        private val requests = Messages { buffer -> reader.next(buffer)?.let { it to it.length } }
        private var freeNanos = 0L
        val connection = MemoryConnection(loop) { read(it) }

        private fun read(bytes: ByteArray) {
            requests.read(bytes, ::serve)
        }

        private fun serve(request: Request, text: String) {
            val (line, data) = text.split("\r\n", limit = 2)
            if (request is Request.Inquiry) return connection.receive("VERSION virtual\r\n")
            lines += line
            val reply = answer(line, perform(request, line.split(' '), data.removeSuffix("\r\n")))
            freeNanos = maxOf(freeNanos, loop.clock.nanos()) + serviceTime().inWholeNanoseconds
            loop.startTimer(freeNanos) {
                when {
                    connection.isClosed -> Unit
                    reply == null -> connection.receiveEnd()
                    reply.isNotEmpty() -> connection.receive(reply)
                }
            }
        }

        private fun perform(request: Request, words: List<String>, data: String): String = when {
            request is Request.Retrieval -> words.drop(1).joinToString("") { key ->
                values[key]?.let { "VALUE $key 0 ${it.length}\r\n$it\r\n" }.orEmpty()
            } + "END\r\n"

            request is Request.Update && request.verb == Verb.SET -> "STORED\r\n".also { values[words[1]] = data }

            request is Request.Update && request.verb == Verb.DELETE ->
                if (values.remove(words[1]) != null) "DELETED\r\n" else "NOT_FOUND\r\n"

            else -> "ERROR\r\n"
        }
    }
}
