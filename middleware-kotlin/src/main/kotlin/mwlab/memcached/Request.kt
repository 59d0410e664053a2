package mwlab.memcached

/** Longest key, in bytes. */
const val MAX_KEY_BYTES = 250

/**
 * One complete request of a client: [length] bytes of the buffer it was read from, beginning at the buffer's position.
 *
 * A request holds no bytes, it only says what stands where; offsets count from the request's first byte.
 */
sealed interface Request {
    val length: Int

    val keys: Keys get() = Keys.NONE

    /** The servers' answer has no end of its own, or there may be none: as to a meta command with the flag q. */
    val isQuiet: Boolean get() = false

    /**
     * Its answer has a meaning on one server only: it asks for a `cas` unique or compares with it, which each server counts for itself,
     * or makes an item stale, after which each server asks one of its clients to renew it.
     */
    val needsOneServer: Boolean get() = false

    /** Whether the client waits for a reply; one that it does not wait for would be taken for that to its next request. */
    val wantsReply: Boolean get() = true

    /**
     * Reads any number of keys: get, gets, gat, gats, bget; or one key: mg, me.
     *
     * @property continues whether more of the line's keys follow in another request, so that its reply has no `END`.
     * @property changesItems whether it also changes what it reads, or makes it: gat, gats, and mg with the flags N, R or T.
     */
    class Retrieval(
        override val length: Int,
        val verb: Verb,
        override val keys: Keys,
        override val isQuiet: Boolean = false,
        override val needsOneServer: Boolean = false,
        val changesItems: Boolean = false,
        val continues: Boolean = false,
    ) : Request

    /**
     * Changes one key ([keys] holds it), or a server as a whole (flush_all, verbosity, what steers it: no key).
     *
     * @property lineLength length of the command line with its line end; a data block may follow it.
     * @property replyEnd where the line ends if `noreply` is left out: with it a server would leave open when it is done.
     * @property refusal a value that is not taken: the servers only remove the old one, and this line is the answer.
     */
    class Update(
        override val length: Int,
        val verb: Verb,
        override val keys: Keys,
        val lineLength: Int,
        val replyEnd: Int,
        val noreply: Boolean = false,
        override val isQuiet: Boolean = false,
        override val needsOneServer: Boolean = false,
        val refusal: String? = null,
    ) : Request {
        override val wantsReply: Boolean get() = !noreply

        /** What is left to do without its data, as [reply] says: the old value must not outlive a newer one, so memcached removes it. */
        fun withoutData(reply: String): Request = when (verb) {
            Verb.SET, Verb.MS ->
                Update(lineLength, verb, keys, lineLength, replyEnd, noreply, isQuiet = false, needsOneServer, reply)

            else -> Refused(lineLength, reply.takeUnless { noreply })
        }
    }

    /** version or stats, with their arguments; or lru_crawler, if it is to dump the keys. */
    class Inquiry(override val length: Int, val verb: Verb, override val isQuiet: Boolean = false) : Request

    /** mn: does nothing, and says so. */
    class NoOperation(override val length: Int) : Request

    /** A request that no server is to see; [reply] is the error line without its end, null if memcached says nothing (noreply). */
    class Refused(override val length: Int, val reply: String?) : Request

    /** quit, or bytes after which nothing can be understood: the connection is closed behind the line [reply], if there is one. */
    class HangUp(override val length: Int, val reply: String? = null) : Request
}

/**
 * Where the keys of a request stand, as offsets from its first byte.
 *
 * @property areBase64 the bytes there stand for others, which are the key: the same one that a plain command may name.
 * @param startOfLine where the first key of the line stands, if that has more keys than these.
 */
class Keys(private val bounds: IntArray, val areBase64: Boolean = false, private val startOfLine: Int = 0) {
    val count: Int get() = bounds.size / 2

    /** Whether the line has more keys than these. */
    val isPart: Boolean get() = startOfLine > 0

    /** Where the first key of the line stands. */
    val startOfAll: Int get() = if (isPart) startOfLine else bounds[0]

    fun start(index: Int): Int = bounds[2 * index]

    fun end(index: Int): Int = bounds[2 * index + 1]

    companion object {
        val NONE = Keys(IntArray(0))
    }
}
