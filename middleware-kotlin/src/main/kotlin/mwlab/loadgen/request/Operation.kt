package mwlab.loadgen.request

/**
 * What a client can send.
 *
 * @property word its name in mixes, traces and samples; in capitals the title of its histograms, as memtier has them
 * @property row what reports call requests of this kind
 * @property command what it is on the wire
 */
enum class Operation(val word: String, val row: String, val command: String = word) {
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
    SEND("send", "Sends", command = "set"),
    POP("pop", "Pops", command = "get"),
    PEEK("peek", "Peeks", command = "get"),
    LIST("list", "Lists", command = "get"),
    ;

    val title: String get() = word.uppercase()

    /** Whether a value goes with it. */
    val storesValue: Boolean get() = this == SET || this == ADD || this == CAS || this == SEND

    /** Whether it changes a number. */
    val counts: Boolean get() = this == INCR || this == DECR

    /** Whether it needs something to be there, so that it can hit or miss. */
    val canMiss: Boolean get() = this != SET && this != ADD && this != SEND

    companion object {
        /** Those that memtier has, whose rows are always there. */
        val OF_MEMTIER = listOf(SET, GET)

        /** Those whose rows are there only if they were used. */
        val FURTHER = entries - OF_MEMTIER

        /** Those about queues of messages. */
        val OF_QUEUES = listOf(SEND, POP, PEEK, LIST)

        /** All others. */
        val OF_OBJECTS = entries - OF_QUEUES
    }
}
