package mwlab.loadgen.request

/**
 * What a client can send.
 *
 * @property word its command, also in `--mix` and traces; in capitals the title of its histograms, as memtier has them
 * @property row what reports call requests of this kind
 */
enum class Operation(val word: String, val row: String) {
    SET("set", "Sets"),
    GET("get", "Gets"),
    DELETE("delete", "Deletes"),
    TOUCH("touch", "Touches"),
    INCR("incr", "Incrs"),
    DECR("decr", "Decrs"),
    ADD("add", "Adds"),
    GETS("gets", "Cas gets"),
    CAS("cas", "Cas"),
    GAT("gat", "Gats"),
    META_GET("mg", "Meta gets"),
    ;

    val title: String get() = word.uppercase()

    /** Whether a value goes with it. */
    val storesValue: Boolean get() = this == SET || this == ADD || this == CAS

    /** Whether it changes a number. */
    val counts: Boolean get() = this == INCR || this == DECR

    /** Whether it needs its key to be there, so that it can hit or miss. */
    val canMiss: Boolean get() = this != SET && this != ADD

    companion object {
        /** Those that memtier has, whose rows are always there. */
        val OF_MEMTIER = listOf(SET, GET)

        /** Those whose rows are there only if they were used. */
        val FURTHER = entries - OF_MEMTIER
    }
}
