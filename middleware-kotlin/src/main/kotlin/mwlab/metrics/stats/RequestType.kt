package mwlab.metrics.stats

/**
 * The kinds of request that are counted apart, as small numbers: one for each command name, one for each size of multi-get.
 *
 * Sizes from [MAX_MULTI_GET] on share the last one, so that the memory of the statistics is bounded.
 */
object RequestType {
    /** Multi-gets of at least as many keys are counted together. */
    const val MAX_MULTI_GET = 100

    /** All commands that steer memcached itself are counted together. */
    const val ADMIN = "admin"

    private val names = listOf(
        "get", "set", "add", "replace", "append", "prepend", "cas", "incr", "decr", "touch", "delete",
        "flush_all", "verbosity", "version", "stats", "mg", "ms", "md", "ma", "me", ADMIN,
    )

    /** How many types there are; each is smaller. */
    val count: Int = names.size + MAX_MULTI_GET + 1

    /** The type of a command that is counted by its [name], or -1. */
    fun ofCommand(name: String): Int = names.indexOf(name)

    /** The type of a get, gets, gat or gats of [keys] keys. */
    fun ofGet(keys: Int): Int = if (keys <= 1) 0 else names.size + minOf(keys, MAX_MULTI_GET)

    /** The name in the files: `get`, `set`, `multi-get-6`, ... */
    fun name(type: Int): String = names.getOrElse(type) {
        val keys = type - names.size
        if (keys < MAX_MULTI_GET) "multi-get-$keys" else "multi-get-$keys-or-more"
    }
}
