package mwlab.loadgen.request

/**
 * What a client can send.
 *
 * @property word its name in mixes and in rows of single requests; in capitals the title of its histograms, as memtier has them
 * @property row what reports call requests of this kind
 * @property command what it is on the wire
 */
enum class Operation(val word: String, val row: String, val command: String = word) {
    SET("set", "Sets"),
    GET("get", "Gets"),
    SEND("send", "Sends", command = "set"),
    POP("pop", "Pops", command = "get"),
    PEEK("peek", "Peeks", command = "get"),
    LIST("list", "Lists", command = "get"),
    ;

    val title: String get() = word.uppercase()

    /** Whether a value goes with it. */
    val storesValue: Boolean get() = this == SET || this == SEND

    /** Whether it needs something to be there, so that it can hit or miss. */
    val canMiss: Boolean get() = !storesValue

    companion object {
        /** Those that memtier has, whose rows are always there. */
        val OF_MEMTIER = listOf(SET, GET)

        /** Those about queues of messages, whose rows are there only if they were used. */
        val OF_QUEUES = entries - OF_MEMTIER
    }
}
