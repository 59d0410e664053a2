package mwlab.prove.fuzz.connections

import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Response
import java.nio.ByteBuffer

/**
 * Whether a client has got what it may get: for each of its requests, in order, what the server has answered to that one, or one of the
 * middleware's own lines; and nothing else.
 *
 * Requests reach the server in any order, but a change of a key after all that was asked of it before, and before all that follows.
 */
internal class Replies(private val scene: Scene, private val outcome: Outcome) {
    private val received = outcome.received

    /** Where the reply to the next request may begin, and which of what the server was asked is told; of these, whether it was a change. */
    private data class Place(val at: Int, val told: Map<Int, Boolean>)

    /** Fails if there is no way to read it so. */
    fun check() {
        val reader = RequestReader(ScriptedServer.MAX_VALUE_BYTES)
        val stream = ByteBuffer.wrap(scene.stream)
        // More than one if a quiet command may have been answered or not.
        var places = setOf(Place(0, emptyMap()))
        while (true) {
            val request = reader.next(stream) ?: break
            // Statistics are put together of the server's and the middleware's own.
            if (request is Request.Inquiry) return
            if (request is Request.HangUp) break
            val words = wordsOf(scene.stream, stream.position())
            val next = places.flatMap { after(it, request, words) }.toSet()
            // Of what is reset, the end may be missing.
            if (next.isEmpty() && outcome.isReset) return
            check(next.isNotEmpty()) { "no reply to $words at ${places.map { it.at }}: ${describe()}" }
            places = next
            stream.position(stream.position() + request.length)
        }
        check(places.any { it.at == received.size }) { "bytes that nobody has asked for: ${describe()}" }
    }

    private fun after(place: Place, request: Request, words: List<String>): List<Place> = when {
        request is Request.Refused -> line(place, request.reply)
        request is Request.NoOperation -> line(place, "MN")
        !request.wantsReply -> listOf(place)
        else -> answered(place, request, words) + failed(place)
    }

    private fun line(place: Place, line: String?): List<Place> {
        val bytes = line?.let { latin1("$it\r\n") } ?: return listOf(place)
        return if (begins(place.at, bytes)) listOf(Place(place.at + bytes.size, place.told)) else emptyList()
    }

    /** The middleware says what is wrong with its server. */
    private fun failed(place: Place): List<Place> {
        if (!begins(place.at, SERVER_ERROR)) return emptyList()
        val end =
            (place.at until received.size).firstOrNull { received[it] == '\n'.code.toByte() } ?: return emptyList()
        return listOf(Place(end + 1, place.told))
    }

    private fun answered(place: Place, request: Request, words: List<String>): List<Place> {
        val refusal = (request as? Request.Update)?.refusal
        val key = words.getOrNull(1)
        val isChange = (request as? Request.Retrieval)?.changesItems != false
        val before = place.told.filter { (index, wasChange) ->
            (isChange || wasChange) && outcome.asked[index].words.getOrNull(1) == key
        }
        val first = before.keys.maxOrNull()?.plus(1) ?: 0
        return (first until outcome.asked.size).mapNotNull { index ->
            val asked = outcome.asked[index]
            // The old value of one that is too large is removed by another command.
            val isIts = asked.words.getOrNull(1) == key && (refusal != null || asked.words[0] == words[0])
            val bytes = if (isIts && index !in place.told) relayed(asked.answer, request, refusal) else null
            val isTold = bytes != null && begins(place.at, bytes)
            if (isTold) Place(place.at + bytes.size, place.told + (index to isChange)) else null
        }
    }

    /** What the client gets of [answer]; null if it is no reply. */
    private fun relayed(answer: ByteArray, request: Request, refusal: String?): ByteArray? {
        if (answer.isEmpty() && request.isQuiet) return answer
        val reply = firstReply(answer)
        return when {
            reply is Response.Failure -> answer.copyOfRange(reply.lineOffset, reply.length)
            refusal != null -> latin1("$refusal\r\n")
            else -> answer.takeIf { reply != null }
        }
    }

    private fun begins(at: Int, bytes: ByteArray): Boolean =
        received.size - at >= bytes.size && bytes.indices.all { received[at + it] == bytes[it] }

    private fun describe() = "${text(scene.stream)}\n-> ${text(received)}\nserver: " +
        outcome.asked.joinToString { "${it.words} ${text(it.answer)}" }

    private companion object {
        val SERVER_ERROR = latin1("SERVER_ERROR 127.0.0.1:")
    }
}
