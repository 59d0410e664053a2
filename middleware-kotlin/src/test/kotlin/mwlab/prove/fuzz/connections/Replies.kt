package mwlab.prove.fuzz.connections

import mwlab.memcached.ProtocolException
import mwlab.memcached.Request
import mwlab.memcached.RequestReader
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader
import java.nio.ByteBuffer

/**
 * Whether a client has got what it may get: for each of its requests, in order, what the server has answered to that one, or one of the
 * middleware's own lines; and nothing else.
 */
internal class Replies(private val scene: Scene, private val outcome: Outcome) {
    private var at = 0
    private var nextAsked = 0

    fun check() {
        val reader = RequestReader(ScriptedServer.MAX_VALUE_BYTES)
        val stream = ByteBuffer.wrap(scene.stream)
        while (true) {
            val request = reader.next(stream) ?: break
            // Its answer is put together of the servers' and the middleware's own.
            if (request is Request.HangUp || request is Request.Inquiry) return checkEnd(request)
            if (outcome.isReset && at == outcome.received.size) return
            reply(request, wordsOf(scene.stream, stream.position()))
            stream.position(stream.position() + request.length)
        }
        checkEnd(null)
    }

    private fun checkEnd(last: Request?) = check(last is Request.Inquiry || at == outcome.received.size) {
        "bytes that nobody has asked for: ${describe()}"
    }

    private fun reply(request: Request, words: List<String>) = when {
        request is Request.Refused -> request.reply?.let { take(latin1("$it\r\n"), words) }
        request is Request.NoOperation -> take(MN, words)
        !request.wantsReply -> Unit
        begins(SERVER_ERROR) && !isServers(request, words) -> takeLine()
        else -> takeServers(request, words)
    }

    /** The server's own words may begin as the middleware's do. */
    private fun isServers(request: Request, words: List<String>) = find(request, words) > 0

    private fun takeServers(request: Request, words: List<String>) {
        val length = find(request, words)
        check(length >= 0) { "not the server's answer to $words: ${describe()}" }
        at += length
    }

    /** Length of the server's answer to [request] if it is what comes next, or -1. */
    private fun find(request: Request, words: List<String>): Int {
        for (index in nextAsked until outcome.asked.size) {
            val asked = outcome.asked[index]
            val refusal = (request as? Request.Update)?.refusal
            if (asked.words.getOrNull(1) != words.getOrNull(1) ||
                (refusal == null && asked.words[0] != words[0])
            ) {
                continue
            }
            val bytes = relayed(asked.answer, request, refusal) ?: continue
            if (!begins(bytes)) continue
            nextAsked = index + 1
            return bytes.size
        }
        return -1
    }

    /** What the client gets of [answer]; null if it is no reply. */
    private fun relayed(answer: ByteArray, request: Request, refusal: String?): ByteArray? {
        if (answer.isEmpty() && request.isQuiet) return answer
        val reply = try {
            ResponseReader().next(ByteBuffer.wrap(answer))
        } catch (_: ProtocolException) {
            null
        }
        return when {
            reply is Response.Failure -> answer.copyOfRange(reply.lineOffset, reply.length)

            refusal != null -> latin1("$refusal\r\n")

            reply is Response.Meta && request.isQuiet && reply.lineLength == reply.length && isEnd(
                answer,
            ) -> ByteArray(0)

            else -> reply?.let { answer.copyOf(it.length) }
        }
    }

    /** What ends the answers to a quiet command, sent in answer to the command itself. */
    private fun isEnd(answer: ByteArray) = text(answer).startsWith("MN")

    private fun take(bytes: ByteArray, words: List<String>) {
        check(begins(bytes)) { "not ${text(bytes)} to $words: ${describe()}" }
        at += bytes.size
    }

    private fun takeLine() {
        while (outcome.received[at++] !=
            '\n'.code.toByte()
        ) {
            check(at < outcome.received.size) { "half a line: ${describe()}" }
        }
    }

    private fun begins(bytes: ByteArray): Boolean = outcome.received.size - at >= bytes.size &&
        bytes.indices.all { outcome.received[at + it] == bytes[it] }

    private fun describe() = "${text(scene.stream)}\n-> ${text(outcome.received)}\nat $at, server " +
        outcome.asked.joinToString { "${it.words} ${text(it.answer)}" }

    private companion object {
        val MN = latin1("MN\r\n")
        val SERVER_ERROR = latin1("SERVER_ERROR 127.0.0.1:")
    }
}
