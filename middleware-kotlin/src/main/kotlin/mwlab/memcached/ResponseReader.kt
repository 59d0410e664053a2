package mwlab.memcached

import java.nio.ByteBuffer

/**
 * Finds the replies in the bytes that a memcached server sends, however these are cut.
 *
 * The reader neither copies nor consumes: once a reply is used up, move the buffer's position by its length. What has been scanned is
 * remembered, so bytes that trickle in are not read twice; between two calls of [next] the buffer may move or grow, but not lose
 * unconsumed bytes. Not thread-safe: one reader per connection.
 */
class ResponseReader {
    private val tokens = Tokens()
    private var starts = IntArray(INITIAL_VALUES)
    private var values = 0
    private var inStatistics = false

    /** Where the line under way begins and how far it is searched for its end, counted from the reply's first byte. */
    private var line = 0
    private var scanned = 0

    /** A data block ends where the line begins: it may not have arrived yet. */
    private var afterBlock = false
    private var meta: Response.Meta? = null

    /**
     * The reply at the position of [buffer], or null if more bytes are needed.
     *
     * @throws ProtocolException if the bytes are no reply; the connection is then of no more use.
     */
    fun next(buffer: ByteBuffer): Response? {
        var reply: Response? = null
        while (reply == null) {
            if (buffer.remaining() < scanned) return null
            if (afterBlock) checkBlockEnd(buffer)
            reply = meta
            if (reply == null) {
                val lineFeed = findLineFeed(buffer)
                if (lineFeed < 0) return null
                reply = readLine(buffer, lineFeed)
            }
        }
        reset()
        return reply
    }

    /** Consumes what was read of a reply of which only the end is of interest; its offsets mean nothing then. False: that is nothing. */
    fun dropRead(buffer: ByteBuffer): Boolean {
        val read = minOf(buffer.remaining(), if (afterBlock) line - CRLF_BYTES else line)
        buffer.position(buffer.position() + read)
        line -= read
        scanned -= read
        values = 0
        meta = meta?.let { Response.Meta(it.length - read, it.code) }
        return read > 0
    }

    private fun reset() {
        values = 0
        inStatistics = false
        meta = null
        moveTo(0)
    }

    private fun moveTo(offset: Int) {
        line = offset
        scanned = offset
    }

    /** Index of the end of the line under way, or -1; not null, which would make an object of every index. */
    private fun findLineFeed(buffer: ByteBuffer): Int {
        val lineFeed = indexOfLineFeed(buffer, buffer.position() + scanned)
        if (lineFeed >= 0) return lineFeed
        scanned = buffer.remaining()
        if (scanned - line > MAX_LINE_BYTES) throw ProtocolException("a reply line longer than $MAX_LINE_BYTES bytes")
        return -1
    }

    /** The reply, if the line that ends at [lineFeed] completes it; otherwise moves on behind the line and its data. */
    private fun readLine(buffer: ByteBuffer, lineFeed: Int): Response? {
        val start = buffer.position() + line
        val end = lineFeed - 1
        val length = lineFeed + 1 - buffer.position()
        if (startsWith(buffer, start, lineFeed, METADUMP)) return skipStatistic(length)
        if (end < start || buffer.get(end) != CR) throw unexpected(buffer, start, lineFeed)
        return when {
            inStatistics && isLine(buffer, start, end, "EN") -> Response.Statistics(length)
            inStatistics && isLine(buffer, start, end, "MN") -> Response.Statistics(line)
            startsWith(buffer, start, end, "VALUE ") -> skipValue(buffer, start, end, length)
            isLine(buffer, start, end, "END") -> if (inStatistics) Response.Statistics(length) else values(length)
            STATISTICS.any { startsWith(buffer, start, end, it) } -> skipStatistic(length)
            startsWith(buffer, start, end, "VA ") -> skipMetaValue(buffer, start, end, length)
            else -> single(buffer, start, end, length)
        }
    }

    private fun isLine(buffer: ByteBuffer, start: Int, end: Int, text: String): Boolean =
        end - start == text.length && startsWith(buffer, start, end, text)

    private fun values(length: Int) = Response.Values(length, if (values == 0) NO_STARTS else starts.copyOf(values))

    private fun skipStatistic(length: Int): Response? {
        inStatistics = true
        moveTo(length)
        return null
    }

    /** `VALUE <key> <flags> <bytes> [<cas>]` and its data block; more values or `END` follow. */
    private fun skipValue(buffer: ByteBuffer, start: Int, end: Int, length: Int): Response? {
        tokens.split(buffer, start, end)
        if (tokens.count !in 4..5) throw unexpected(buffer, start, end)
        if (values == starts.size) starts = starts.copyOf(2 * values)
        starts[values++] = line
        skipBlock(3, buffer, start, end, length)
        return null
    }

    /** `VA <bytes> <flags>*` and its data block, which ends the reply. */
    private fun skipMetaValue(buffer: ByteBuffer, start: Int, end: Int, length: Int): Response? {
        tokens.split(buffer, start, end)
        skipBlock(1, buffer, start, end, length)
        meta = Response.Meta(line, MetaCode.VA)
        return null
    }

    private fun skipBlock(lengthToken: Int, buffer: ByteBuffer, start: Int, end: Int, length: Int) {
        val bytes = if (lengthToken < tokens.count) tokens.number(buffer, lengthToken) else Tokens.NOT_A_NUMBER
        if (bytes !in 0..MAX_BLOCK_BYTES) throw unexpected(buffer, start, end)
        moveTo(length + bytes.toInt() + CRLF_BYTES)
        afterBlock = true
    }

    private fun checkBlockEnd(buffer: ByteBuffer) {
        val end = buffer.position() + line
        if (buffer.get(end - 1) != LF || buffer.get(end - 2) != CR) {
            throw ProtocolException("a value that is longer than its line says")
        }
        afterBlock = false
    }

    private fun single(buffer: ByteBuffer, start: Int, end: Int, length: Int): Response {
        tokens.split(buffer, start, end)
        val word = if (tokens.count > 0) text(buffer, tokens.start(0), tokens.end(0)) else ""
        return FAILURES[word]?.let { Response.Failure(length, it, lineOffset = line) }
            ?: (if (line == 0) status(buffer, word, length) else null)
            ?: throw unexpected(buffer, start, end)
    }

    private fun status(buffer: ByteBuffer, word: String, length: Int): Response? {
        META_CODES[word]?.let { return Response.Meta(length, it) }
        val isNumber = word.isNotEmpty() && tokens.isDigits(buffer, 0)
        return (if (isNumber) Status.NUMBER else STATUSES[word])?.let { Response.Line(length, it) }
    }

    private fun unexpected(buffer: ByteBuffer, start: Int, end: Int): ProtocolException =
        ProtocolException("not a reply of memcached: \"${printable(buffer, start, minOf(end, start + SHOWN_BYTES))}\"")

    /** Clients are told what it was, in one line of their own. */
    private fun printable(buffer: ByteBuffer, start: Int, end: Int): String =
        text(buffer, start, end).map { if (it in ' '..'~') it else '?' }.joinToString("")

    private companion object {
        const val INITIAL_VALUES = 16
        const val MAX_LINE_BYTES = 4096
        const val MAX_BLOCK_BYTES = 1L shl 30
        const val SHOWN_BYTES = 60
        val NO_STARTS = IntArray(0)

        /** What the lines of `lru_crawler metadump` begin with, which end with a line feed only. */
        const val METADUMP = "key="

        /** What the lines of `stats`, its dumps, and `lru_crawler mgdump` begin with. */
        val STATISTICS = listOf("STAT ", "ITEM ", "PREFIX ", "mg ")
        val STATUSES = Status.entries.filter { it != Status.NUMBER }.associateBy { it.name }
        val META_CODES = MetaCode.entries.filter { it != MetaCode.VA }.associateBy { it.name }

        /** As most commands have them, as `shutdown` has, and as `refresh_certs` has. */
        val FAILURES = FailureKind.entries.associateBy { it.name } +
            FailureKind.entries.associateBy { "${it.name}:" } + ("Error" to FailureKind.ERROR)
    }
}

/** Bytes that no memcached server sends: the connection they came from cannot be trusted any more. */
class ProtocolException(message: String) : Exception(message)
