package mwlab.memcached

import java.nio.ByteBuffer

/**
 * The commands of memcached's text protocol; [text] is the word on the wire.
 *
 * @property isAdmin it steers memcached itself, see [AdminCommands].
 */
enum class Verb(val isAdmin: Boolean = false) {
    GET,
    SET,
    GETS,
    GAT,
    GATS,
    BGET,
    ADD,
    REPLACE,
    APPEND,
    PREPEND,
    CAS,
    INCR,
    DECR,
    TOUCH,
    DELETE,
    MG,
    MS,
    MD,
    MA,
    ME,
    MN,
    FLUSH_ALL,
    VERBOSITY,
    VERSION,
    STATS,
    QUIT,
    SLABS(isAdmin = true),
    LRU(isAdmin = true),
    LRU_CRAWLER(isAdmin = true),
    CACHE_MEMLIMIT(isAdmin = true),
    EXTSTORE(isAdmin = true),
    REFRESH_CERTS(isAdmin = true),
    SHUTDOWN(isAdmin = true),
    WATCH(isAdmin = true),
    DEBUGTIME(isAdmin = true),
    DEBUGITEM(isAdmin = true),
    MISBEHAVE(isAdmin = true),
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
