package mwlab.prove.fuzz

import mwlab.memcached.MAX_KEY_BYTES
import mwlab.memcached.Request
import mwlab.memcached.RequestReader

/** Clients' bytes: never an exception, nothing read that has not arrived, and the same requests however the bytes are cut. */
object RequestTarget {
    private const val MAX_VALUE_BYTES = 100

    /** What the fuzzer calls. */
    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) {
        val pieces = Pieces(data)
        val whole = read(pieces, listOf(pieces.size))
        val cut = read(pieces, pieces.ends())
        // Memcached hangs up on a long line once it has seen enough of it, which depends on what arrives together.
        check(whole.hungUp || cut.hungUp || whole.found == cut.found) { "whole ${whole.found}, in pieces ${cut.found}" }
    }

    private class Found(val found: List<Any?>, val hungUp: Boolean)

    private fun read(pieces: Pieces, ends: List<Int>): Found {
        val reader = RequestReader(MAX_VALUE_BYTES)
        val found = ArrayList<Any?>()
        var consumed = 0
        for (end in ends) {
            while (true) {
                val arrived = pieces.arrived(consumed, end)
                val request = reader.next(arrived)
                check(arrived.limit() == end - consumed) { "the limit was moved" }
                consumed += arrived.position()
                if (request == null) break
                checkLengths(request, end - consumed)
                describe(request, consumed, found)
                if (request is Request.HangUp) return Found(found, hungUp = true)
                consumed += request.length
            }
        }
        return Found(found, hungUp = false)
    }

    private fun checkLengths(request: Request, available: Int) {
        check(request.length in 1..available) { "length ${request.length} of $available bytes" }
        var last = 0
        for (key in 0 until request.keys.count) {
            val length = request.keys.end(key) - request.keys.start(key)
            check(length in 1..MAX_KEY_BYTES) { "a key of $length bytes" }
            check(request.keys.start(key) > last) { "keys overlap" }
            last = request.keys.end(key)
        }
        val line = (request as? Request.Update)?.lineLength ?: request.length
        check(last < line) { "a key ends at $last, behind its line of $line bytes" }
        if (request is Request.Update) {
            check(line <= request.length) { "a line of $line bytes in a request of ${request.length}" }
            check(request.replyEnd in 1 until line) { "the line without noreply ends at ${request.replyEnd} of $line" }
        }
    }

    /** Adds all that [request] says to [found]; no texts, which would take longer than the reading itself. */
    private fun describe(request: Request, at: Int, found: MutableList<Any?>) {
        found += request.javaClass
        found += at
        found += request.length
        for (key in 0 until request.keys.count) {
            found += request.keys.start(key)
            found += request.keys.end(key)
        }
        found += request.keys.areBase64
        found += request.isQuiet
        found += request.needsOneServer
        found += request.wantsReply
        when (request) {
            is Request.Update -> found.add(listOf(request.verb, request.lineLength, request.replyEnd, request.refusal))
            is Request.Retrieval -> found += request.verb
            is Request.Inquiry -> found += request.verb
            is Request.Refused -> found += request.reply
            is Request.NoOperation, is Request.HangUp -> Unit
        }
    }
}
