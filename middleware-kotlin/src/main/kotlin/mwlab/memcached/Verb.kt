package mwlab.memcached

import java.nio.ByteBuffer

/**
 * The commands of memcached's text protocol; [text] is the word on the wire.
 *
 * @property statuses how a server can answer it by a [Response.Line], success first; none if it has other replies.
 * @property isAdmin it steers memcached itself, see [AdminCommands].
 */
enum class Verb(val statuses: List<Status> = emptyList(), val isAdmin: Boolean = false) {
    GET,
    SET(STORING),
    GETS,
    GAT,
    GATS,
    BGET,
    ADD(STORING),
    REPLACE(STORING),
    APPEND(STORING),
    PREPEND(STORING),
    CAS(STORING),
    INCR(COUNTING),
    DECR(COUNTING),
    TOUCH(listOf(Status.TOUCHED, Status.NOT_FOUND)),
    DELETE(listOf(Status.DELETED, Status.NOT_FOUND)),
    MG,
    MS,
    MD,
    MA,
    ME,
    MN,
    FLUSH_ALL(DONE),
    VERBOSITY(DONE),
    VERSION(listOf(Status.VERSION)),
    STATS(listOf(Status.OK, Status.RESET, Status.BUSY)),
    QUIT,
    SLABS(listOf(Status.OK, Status.BUSY, Status.BADCLASS, Status.NOSPARE, Status.SAME), isAdmin = true),
    LRU(DONE, isAdmin = true),
    LRU_CRAWLER(listOf(Status.OK, Status.BUSY, Status.BADCLASS, Status.NOTSTARTED), isAdmin = true),
    CACHE_MEMLIMIT(listOf(Status.OK, Status.MEMLIMIT_TOO_SMALL, Status.MEMLIMIT_ADJUST_FAILED), isAdmin = true),
    EXTSTORE(DONE, isAdmin = true),
    REFRESH_CERTS(DONE, isAdmin = true),
    SHUTDOWN(isAdmin = true),
    WATCH(isAdmin = true),
    DEBUGTIME(DONE, isAdmin = true),
    DEBUGITEM(isAdmin = true),
    MISBEHAVE(DONE, isAdmin = true),
    ;

    val text: String = name.lowercase()

    /** mg, ms and so on: the commands of two letters have flags, and replies of their own. */
    val isMeta: Boolean = name.length == 2

    companion object {
        private val prefixes = LongArray(entries.size) { pack(entries[it].text) }

        /** The verb that stands between two absolute indices of [buffer], or null. */
        fun of(buffer: ByteBuffer, start: Int, end: Int): Verb? {
            var prefix = 0L
            for (index in start until minOf(end, start + Long.SIZE_BYTES)) {
                prefix = prefix shl Byte.SIZE_BITS or (buffer.get(index).toLong() and 0xff)
            }
            val ordinal = prefixes.indexOf(prefix)
            return if (ordinal < 0) null else entries[ordinal].takeIf { it.stands(buffer, start, end) }
        }

        /** The first eight characters as one number, so that most commands are told apart by one comparison. */
        private fun pack(text: String): Long =
            text.take(Long.SIZE_BYTES).fold(0L) { word, char -> word shl Byte.SIZE_BITS or char.code.toLong() }

        private fun Verb.stands(buffer: ByteBuffer, start: Int, end: Int): Boolean =
            text.length == end - start && startsWith(buffer, start, end, text)
    }
}

private val STORING = listOf(Status.STORED, Status.NOT_STORED, Status.EXISTS, Status.NOT_FOUND)
private val COUNTING = listOf(Status.NUMBER, Status.NOT_FOUND)
private val DONE = listOf(Status.OK)
