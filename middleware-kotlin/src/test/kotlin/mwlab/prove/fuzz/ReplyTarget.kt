package mwlab.prove.fuzz

import mwlab.memcached.ProtocolException
import mwlab.memcached.Response
import mwlab.memcached.ResponseReader

/** Servers' bytes: at worst a [ProtocolException], nothing read that has not arrived, and the same replies however they are cut. */
object ReplyTarget {
    /** What the fuzzer calls. */
    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) {
        val pieces = Pieces(data)
        val whole = read(pieces, listOf(pieces.size))
        val cut = read(pieces, pieces.ends())
        check(whole == cut) { "whole $whole, in pieces $cut" }
    }

    private fun read(pieces: Pieces, ends: List<Int>): List<Any> {
        val reader = ResponseReader()
        val found = ArrayList<Any>()
        var consumed = 0
        for (end in ends) {
            while (true) {
                val arrived = pieces.arrived(consumed, end)
                val reply = try {
                    reader.next(arrived)
                } catch (_: ProtocolException) {
                    found += -1 - consumed
                    return found
                }
                check(arrived.position() == 0 && arrived.limit() == end - consumed) { "the buffer was moved" }
                if (reply == null) break
                checkLengths(reply, end - consumed)
                describe(reply, consumed, found)
                consumed += reply.length
            }
        }
        return found
    }

    private fun checkLengths(reply: Response, available: Int) {
        check(reply.length in 1..available) { "length ${reply.length} of $available bytes" }
        when (reply) {
            is Response.Values -> {
                for (hit in 0 until reply.hits) {
                    check(reply.end(hit) in reply.starts[hit] + 1..reply.bodyLength) {
                        "value $hit ends at ${reply.end(hit)}"
                    }
                }
            }

            is Response.Failure -> check(reply.lineOffset < reply.length) { "a line at ${reply.lineOffset}" }

            is Response.Meta, is Response.Line, is Response.Statistics -> Unit
        }
    }

    /** Adds all that [reply] says to [found]; no texts, which would take longer than the reading itself. */
    private fun describe(reply: Response, at: Int, found: MutableList<Any>) {
        found += reply.javaClass
        found += at
        found += reply.length
        when (reply) {
            is Response.Values -> for (start in reply.starts) found += start

            is Response.Meta -> found += reply.code

            is Response.Failure -> {
                found += reply.kind
                found += reply.lineOffset
            }

            is Response.Line -> found += reply.status

            is Response.Statistics -> Unit
        }
    }
}
