package mwlab.memcached

/**
 * Which of the commands that steer memcached itself may reach the servers. Immutable.
 *
 * @property areAllowed whether any may; memcached, too, lets its operator forbid most of them.
 * @property areDumpsAllowed each connection has one request at a time: on others, memcached dumps no keys, or forgets what follows.
 * @property foreign the line that refuses any of them where the servers are no memcached; null: they are.
 */
class AdminCommands(
    private val areAllowed: Boolean,
    private val areDumpsAllowed: Boolean = true,
    private val foreign: (Verb) -> String? = { null },
) {
    /** The line that answers the command [verb] with its [words] if no server is to see it; null if they are to. */
    internal fun refusal(verb: Verb, words: List<String>): String? = foreign(verb) ?: when {
        verb in CONNECTION_BOUND -> "CLIENT_ERROR ${verb.text} is not passed on: send it to a server itself"
        !areAllowed -> "CLIENT_ERROR ${verb.text} is not allowed: start the middleware with --admin-commands on"
        verb == Verb.SHUTDOWN && words.last() == NOREPLY -> INVALID_SHUTDOWN
        !isDump(verb, words) -> null
        words.size != DUMP_WORDS || words.last() == NOREPLY -> "ERROR"
        !areDumpsAllowed -> "CLIENT_ERROR ${words[1]} is not passed on with --dispatch pipelined"
        else -> null
    }

    companion object {
        val REFUSED = AdminCommands(areAllowed = false)

        /** Its answer has a line for every key. */
        internal fun isDump(verb: Verb, words: List<String>): Boolean =
            verb == Verb.LRU_CRAWLER && words.getOrNull(1) in DUMPS

        /** They change the connection that they come on, which is not the client's own. */
        private val CONNECTION_BOUND = setOf(Verb.WATCH, Verb.DEBUGITEM)
        private val DUMPS = setOf("metadump", "mgdump")
        private const val DUMP_WORDS = 3
        private const val NOREPLY = "noreply"

        /** Without its last word, `shutdown noreply` would shut the servers down. */
        private const val INVALID_SHUTDOWN = "CLIENT_ERROR invalid shutdown mode"
    }
}
