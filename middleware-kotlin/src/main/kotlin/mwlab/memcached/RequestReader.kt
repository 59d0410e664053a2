package mwlab.memcached

import java.nio.ByteBuffer

/**
 * Finds the requests in the bytes that a client sends, however these are cut, and refuses what memcached 1.6 refuses.
 *
 * Once a request is used up, move the buffer's position by its length. [next] itself moves it only past the data of requests it has
 * refused. What a server can check as well (numbers of incr or touch, flags of meta commands, the end of a data block) is left to it, so
 * that its answer is memcached's own. Not thread-safe: one reader per connection.
 *
 * A get of very many keys comes as several requests for some of them each, of which only the last has a length: nobody else is kept
 * waiting while one line is worked on. See [Request.Retrieval.continues] and [dropParts].
 *
 * @param objection why a whole request in the buffer is refused, in the line that answers it; null: it is not.
 */
class RequestReader(
    private val maxValueBytes: Int,
    private val adminCommands: AdminCommands = AdminCommands.REFUSED,
    private val objection: (Request, ByteBuffer) -> String? = { _, _ -> null },
) {
    private var scanned = 0

    /** How much is still to come of data that was refused, and is dropped as it comes. */
    var bytesToSkip = 0L
        private set
    private var awaitingData: Request? = null
    private var isFirstByte = true

    /** A line of very many keys, as if all were one, and where those end that have been returned. */
    private var longLine: Request.Retrieval? = null
    private var partEnd = 0

    /** The request at the position of [buffer], or null if more bytes are needed. */
    fun next(buffer: ByteBuffer): Request? {
        longLine?.let { return nextPart(it, buffer) }
        if (isBinary(buffer)) return Request.HangUp(buffer.remaining())
        skip(buffer)
        val request = awaitingData ?: nextLine(buffer) ?: return null
        awaitingData = request.takeIf { it.length > buffer.remaining() }
        return if (awaitingData == null) admitted(request, buffer) else null
    }

    private fun admitted(request: Request, buffer: ByteBuffer): Request {
        objection(request, buffer)?.let { return Request.Refused(request.length, it.takeIf { request.wantsReply }) }
        if (request.keys.count <= MAX_KEYS || request !is Request.Retrieval) return request
        partEnd = request.keys.startOfAll
        val all = Keys(intArrayOf(partEnd, request.keys.end(request.keys.count - 1)))
        return nextPart(with(request) { part(length, all, continues = true) }, buffer)
    }

    /** Its keys are looked for anew: where all of a line stand is more to remember than the line. */
    private fun nextPart(line: Request.Retrieval, buffer: ByteBuffer): Request {
        val tokens = TOKENS.get()
        val start = buffer.position()
        val end = line.keys.end(0)
        tokens.split(buffer, start + partEnd, start + end, MAX_KEYS)
        val keys = Keys(tokens.bounds(0, tokens.count, start), startOfLine = line.keys.startOfAll)
        partEnd = keys.end(keys.count - 1)
        val continues = partEnd < end
        longLine = line.takeIf { continues }
        return line.part(if (continues) 0 else line.length, keys, continues)
    }

    private fun Request.Retrieval.part(length: Int, keys: Keys, continues: Boolean) =
        Request.Retrieval(length, verb, keys, isQuiet, needsOneServer, changesItems, continues)

    /** Gives up the keys of a line that are still to come; the length of that line, 0 if there is none. */
    fun dropParts(): Int = (longLine?.length ?: 0).also { longLine = null }

    /**
     * The request whose data is under way, without the data, for which there is no room: what follows its length in [buffer] is to be
     * dropped, and the rest is dropped as it comes. Null: none is.
     */
    fun refuseData(buffer: ByteBuffer): Request? {
        val request = awaitingData as? Request.Update ?: return null
        awaitingData = null
        bytesToSkip = request.length.toLong() - buffer.remaining()
        return admitted(request.withoutData(OUT_OF_MEMORY), buffer)
    }

    /** A client of the binary protocol would wait for its own kind of reply for ever; memcached, too, tells by the first byte. */
    private fun isBinary(buffer: ByteBuffer): Boolean {
        if (!isFirstByte || !buffer.hasRemaining()) return false
        isFirstByte = false
        return buffer.get(buffer.position()) == BINARY
    }

    private fun skip(buffer: ByteBuffer) {
        val bytes = minOf(bytesToSkip, buffer.remaining().toLong()).toInt()
        buffer.position(buffer.position() + bytes)
        bytesToSkip -= bytes
    }

    private fun nextLine(buffer: ByteBuffer): Request? {
        val lineFeed = indexOfLineFeed(buffer, buffer.position() + scanned)
        if (lineFeed < 0) {
            scanned = buffer.remaining()
            return if (isTooLong(buffer, buffer.remaining())) hangUp(buffer) else null
        }
        scanned = 0
        val start = buffer.position()
        if (isTooLong(buffer, lineFeed + 1 - start)) return hangUp(buffer)
        val end = if (lineFeed - start > 1 && buffer.get(lineFeed - 1) == CR) lineFeed - 1 else lineFeed
        val tokens = TOKENS.get()
        tokens.split(buffer, start, end)
        val line = RequestLine(buffer, start, lineFeed + 1 - start, tokens, maxValueBytes, adminCommands)
        return line.parse().also { bytesToSkip = line.refusedBytes }
    }

    /**
     * Whether a line of [length] bytes so far is longer than any may be, however its bytes have come. Of other lines than gets,
     * memcached, too, waits for 2048 bytes only.
     */
    private fun isTooLong(buffer: ByteBuffer, length: Int): Boolean {
        if (length <= MAX_LINE_BYTES) return false
        var start = buffer.position()
        while (start < buffer.limit() && buffer.get(start) == SPACE) start++
        val isGet = GETS.any { startsWith(buffer, start, buffer.limit(), it) }
        return !isGet || start - buffer.position() > MAX_INDENT_BYTES || length > MAX_GET_LINE_BYTES
    }

    /** What stands behind such a line need not be a command: it may be data that belongs to it. */
    private fun hangUp(buffer: ByteBuffer) = Request.HangUp(buffer.remaining(), TOO_LONG)

    private companion object {
        const val BINARY = 0x80.toByte()
        const val MAX_LINE_BYTES = 2048
        const val MAX_INDENT_BYTES = 100
        const val MAX_GET_LINE_BYTES = 1 shl 20
        const val TOO_LONG = "CLIENT_ERROR line too long"
        val GETS = listOf("get ", "gets ", "gat ", "gats ")

        /** Keys of one request: their values are asked for and told before others of the line are looked at. */
        const val MAX_KEYS = 1024
        const val OUT_OF_MEMORY = "SERVER_ERROR out of memory storing object"

        /** They are of use only within a call: those of a loop are enough for all of its clients. */
        val TOKENS: ThreadLocal<Tokens> = ThreadLocal.withInitial(::Tokens)
    }
}
