package mwlab.middleware.messages

import mwlab.memcached.AdminCommands
import mwlab.memcached.Request
import mwlab.memcached.Verb
import mwlab.memcached.text
import java.nio.ByteBuffer

/** What clients can ask of message queues; all else is refused before it is queued. Pure. */
internal object QueueRules {
    /** None of them is a command of queues. */
    val ADMIN_COMMANDS = AdminCommands(areAllowed = false, foreign = ::noCommand)

    private val READS = setOf(Verb.GET, Verb.GETS)
    private val OWN = setOf(Verb.VERSION, Verb.STATS)
    private const val BAD_KEY = "CLIENT_ERROR bad key: NAME[/to/RECEIVER][/from/SENDER]"
    private const val BAD_READ_KEY = "$BAD_KEY[/peek] or */waiting[/to/RECEIVER]"
    private const val NO_NAME = "CLIENT_ERROR bad key: add and delete take the name of a queue alone"
    private const val EXPIRES = "CLIENT_ERROR messages do not expire: say 0"
    private const val NOT_EMPTY = "CLIENT_ERROR add makes an empty queue: send no value"
    private const val BAD_FORMAT = "CLIENT_ERROR bad command line format"
    private const val BAD_CHUNK = "CLIENT_ERROR bad data chunk"

    /** Why [request], at the position of [bytes], is refused: the line that answers it; null if it is not. */
    fun objectionTo(request: Request, bytes: ByteBuffer): String? = when (request) {
        is Request.Retrieval -> if (request.verb in READS) objectionToRead(request, bytes) else noCommand(request.verb)
        is Request.Update -> objectionToUpdate(request, bytes)
        is Request.Inquiry -> if (request.verb in OWN && !request.isQuiet) null else noCommand(request.verb)
        else -> null
    }

    private fun noCommand(verb: Verb) = "CLIENT_ERROR ${verb.text} is no command of queues: set, get, add, delete"

    private fun objectionToRead(request: Request.Retrieval, bytes: ByteBuffer): String? =
        BAD_READ_KEY.takeIf { (0 until request.keys.count).any { keyOf(request, bytes, it) == null } }

    private fun objectionToUpdate(request: Request.Update, bytes: ByteBuffer): String? = when (request.verb) {
        Verb.SET -> objectionToData(request, bytes) ?: objectionToSet(request, bytes)

        Verb.ADD -> objectionToData(request, bytes) ?: when {
            !isName(request, bytes) -> NO_NAME
            Storage.of(request, bytes).bytes > 0 -> NOT_EMPTY
            else -> null
        }

        Verb.DELETE -> NO_NAME.takeUnless { isName(request, bytes) }

        else -> noCommand(request.verb)
    }

    /** A value that is too large is not in [bytes]; of one that does not end where it should, the length is wrong. */
    private fun objectionToData(request: Request.Update, bytes: ByteBuffer): String? {
        val end = bytes.position() + request.length
        return request.refusal ?: BAD_CHUNK.takeIf { text(bytes, end - 2, end) != "\r\n" }
    }

    private fun objectionToSet(request: Request.Update, bytes: ByteBuffer): String? {
        val key = keyOf(request, bytes) as? QueueKey.Messages
        val storage = Storage.of(request, bytes)
        return when {
            key == null || key.isPeek -> BAD_KEY
            storage.expiresIn != 0L -> EXPIRES
            storage.flags == null -> BAD_FORMAT
            else -> null
        }
    }

    private fun isName(request: Request, bytes: ByteBuffer) =
        (keyOf(request, bytes) as? QueueKey.Messages)?.isName == true

    private fun keyOf(request: Request, bytes: ByteBuffer, key: Int = 0): QueueKey? =
        QueueKey.parse(bytes, bytes.position() + request.keys.start(key), bytes.position() + request.keys.end(key))
}
