package mwlab.memcached

import java.nio.ByteBuffer

/** The parse of the line of [length] bytes at [start]. A value above [maxValueBytes] is refused, and its data with it. */
internal class RequestLine(
    private val buffer: ByteBuffer,
    private val start: Int,
    private val length: Int,
    private val tokens: Tokens,
    private val maxValueBytes: Int,
    private val adminCommands: AdminCommands,
) {
    private val count = tokens.count

    /** How much data follows the line that is refused with it. */
    var refusedBytes = 0L
        private set

    fun parse(): Request {
        if (count == 0 || tokens.length(0) < 2) return refused(ERROR)
        val verb = Verb.of(buffer, tokens.start(0), tokens.end(0)) ?: return unknown()
        return when (verb) {
            Verb.GET, Verb.GETS, Verb.BGET -> retrieval(verb, firstKey = 1)
            Verb.GAT, Verb.GATS -> retrieval(verb, firstKey = 2)
            Verb.SET, Verb.ADD, Verb.REPLACE, Verb.APPEND, Verb.PREPEND -> storage(verb, arguments = 5)
            Verb.CAS -> storage(verb, arguments = 6)
            Verb.INCR, Verb.DECR, Verb.TOUCH -> update(verb, words = 3..4)
            Verb.DELETE -> update(verb, words = 2..4)
            Verb.MG, Verb.ME -> metaRetrieval(verb)
            Verb.MD, Verb.MA -> update(verb, words = 2..Int.MAX_VALUE)
            Verb.MS -> metaStorage()
            Verb.MN -> Request.NoOperation(length)
            Verb.FLUSH_ALL -> broadcast(verb, words = 1..3)
            Verb.VERBOSITY -> broadcast(verb, words = 2..3)
            Verb.VERSION -> Request.Inquiry(length, verb)
            Verb.STATS -> Request.Inquiry(length, verb, isQuiet = isUnended())
            Verb.QUIT -> Request.HangUp(length)
            else -> administration(verb)
        }
    }

    /** A browser is not a client: memcached hangs up on HTTP. */
    private fun unknown(): Request {
        val isHttp = startsWith(buffer, tokens.start(count - 1), tokens.end(count - 1), "HTTP/")
        val known = "gsacidt".any { it.code.toByte() == buffer.get(tokens.start(0)) }
        return if (isHttp && !known) Request.HangUp(length) else refused(ERROR)
    }

    private fun retrieval(verb: Verb, firstKey: Int): Request {
        if (count < 2) return refused(ERROR)
        if ((firstKey until count).any { tokens.length(it) > MAX_KEY_BYTES }) return refused(BAD_FORMAT)
        val needsOneServer = verb == Verb.GETS || verb == Verb.GATS
        val changesItems = verb == Verb.GAT || verb == Verb.GATS
        return Request.Retrieval(length, verb, keys(firstKey, count), false, needsOneServer, changesItems)
    }

    private fun metaRetrieval(verb: Verb): Request {
        if (count < 2) return refused(if (verb == Verb.MG) ERROR else BAD_FORMAT)
        if (tokens.length(1) > MAX_KEY_BYTES) return refused(BAD_FORMAT)
        if (namesLines(verb)) return refused(KEY_OF_LINES)
        val changesItem = verb == Verb.MG && "NRT".any { hasFlag(it, 2) }
        return Request.Retrieval(length, verb, key(verb), hasFlag('q', 2), hasFlag('c', 2), changesItem)
    }

    private fun update(verb: Verb, words: IntRange): Request = when {
        count !in words -> refused(ERROR)
        verb == Verb.DELETE && !isDelete() -> refused(DELETE_USAGE.takeUnless { isNoreply() })
        tokens.length(1) > MAX_KEY_BYTES -> refused(BAD_FORMAT.takeUnless { isNoreply() })
        namesLines(verb) -> refused(KEY_OF_LINES)
        else -> update(verb, key(verb), dataBytes = 0)
    }

    /** `delete <key> [0] [noreply]`; anything else is told before the key is looked at. */
    private fun isDelete(): Boolean {
        val arguments = if (isNoreply()) count - 1 else count
        return arguments == 2 || (arguments == 3 && tokens.matches(buffer, 2, "0"))
    }

    private fun broadcast(verb: Verb, words: IntRange): Request =
        if (count in words) update(verb, Keys.NONE, dataBytes = 0) else refused(ERROR)

    /** `stats sizes_enable` and `sizes_disable` are answered by a line without an `END`. */
    private fun isUnended(): Boolean =
        count > 1 && (tokens.matches(buffer, 1, "sizes_enable") || tokens.matches(buffer, 1, "sizes_disable"))

    private fun administration(verb: Verb): Request {
        val words = List(count) { text(buffer, tokens.start(it), tokens.end(it)) }
        val refusal = adminCommands.refusal(verb, words)
        return when {
            refusal != null -> refused(refusal.takeUnless { isNoreply() })
            AdminCommands.isDump(verb, words) -> Request.Inquiry(length, verb)
            else -> update(verb, Keys.NONE, dataBytes = 0)
        }
    }

    private fun storage(verb: Verb, arguments: Int): Request {
        if (count !in arguments..arguments + 1) return refused(ERROR)
        val isWellFormed = tokens.isUnsigned(buffer, 2) && tokens.isInteger(buffer, 3) &&
            (verb != Verb.CAS || tokens.isUnsigned(buffer, 5))
        return data(verb, if (isWellFormed) tokens.int32(buffer, 4) else Tokens.NOT_A_NUMBER)
    }

    private fun metaStorage(): Request {
        if (count < 2) return refused(ERROR)
        // A server would not take the data for data then, and answer to it, too.
        if (count > MAX_META_WORDS) return refused(TOO_MANY_FLAGS)
        return data(Verb.MS, if (count > 2) tokens.int32(buffer, 2) else Tokens.NOT_A_NUMBER)
    }

    private fun data(verb: Verb, bytes: Long): Request {
        val isWellFormed = tokens.length(1) <= MAX_KEY_BYTES && bytes in 0..Int.MAX_VALUE - CRLF_BYTES
        if (!isWellFormed) return refused(BAD_FORMAT.takeUnless { !verb.isMeta && isNoreply() })
        val namesLines = namesLines(verb)
        if (namesLines || bytes > maxValueBytes) refusedBytes = bytes + CRLF_BYTES
        if (namesLines) return refused(KEY_OF_LINES)
        val request = update(verb, key(verb), bytes.toInt() + CRLF_BYTES)
        return if (request is Request.Update && refusedBytes > 0) request.withoutData(TOO_LARGE) else request
    }

    private fun update(verb: Verb, keys: Keys, dataBytes: Int): Request {
        val firstFlag = firstFlag(verb)
        val noreply = !verb.isMeta && isNoreply()
        if (noreply && verb != Verb.DELETE && isNoreplyTwice()) return refused(null)
        val makesStale = verb == Verb.MD && hasFlag('I', firstFlag)
        val needsOneServer = verb == Verb.CAS || makesStale || hasFlag('c', firstFlag) || hasFlag('C', firstFlag)
        val replyEnd = tokens.end(if (noreply) count - 2 else count - 1) - start
        val isQuiet = hasFlag('q', firstFlag)
        return Request.Update(length + dataBytes, verb, keys, length, replyEnd, noreply, isQuiet, needsOneServer)
    }

    /** The second word is a key, whatever it says, in `delete noreply` only; memcached's own rule. */
    private fun isNoreply(): Boolean = tokens.matches(buffer, count - 1, "noreply") &&
        !(count == 2 && tokens.matches(buffer, 0, Verb.DELETE.text))

    /** A server then does nothing, and silently; without the last one it would take the one before for a noreply. */
    private fun isNoreplyTwice(): Boolean = count > 2 && tokens.matches(buffer, count - 2, "noreply")

    private fun firstFlag(verb: Verb): Int = when {
        !verb.isMeta -> count
        verb == Verb.MS -> 3
        else -> 2
    }

    private fun hasFlag(flag: Char, firstFlag: Int): Boolean =
        (firstFlag until count).any { buffer.get(tokens.start(it)) == flag.code.toByte() }

    /**
     * A key that stands for several lines could be told as these: memcached forgets that a key came as base64 when it makes an
     * item on the way or a number grows. Some of the lines would be taken for the replies to what others have asked.
     */
    private fun namesLines(verb: Verb): Boolean =
        isBase64(verb) && base64HoldsLineFeed(buffer, tokens.start(1), tokens.end(1))

    private fun isBase64(verb: Verb): Boolean = hasFlag('b', firstFlag(verb))

    private fun key(verb: Verb): Keys = keys(1, 2, areBase64 = isBase64(verb))

    private fun keys(from: Int, until: Int, areBase64: Boolean = false) =
        Keys(tokens.bounds(from, until, start), areBase64)

    private fun refused(reply: String?): Request = Request.Refused(length, reply)

    private companion object {
        const val MAX_META_WORDS = 19
        const val ERROR = "ERROR"
        const val BAD_FORMAT = "CLIENT_ERROR bad command line format"
        const val DELETE_USAGE = "$BAD_FORMAT.  Usage: delete <key> [noreply]"
        const val KEY_OF_LINES = "CLIENT_ERROR a key with a line feed is not passed on"
        const val TOO_MANY_FLAGS = "CLIENT_ERROR options flags too long"
        const val TOO_LARGE = "SERVER_ERROR object too large for cache"
    }
}
