package mwlab.options

/** The options of a command line as text: the words behind each, by its long name. Immutable. */
class CommandLine internal constructor(private val words: Map<String, List<String>> = emptyMap()) {
    operator fun contains(name: String): Boolean = name in words

    /** The word behind an option that takes one; null if it is not given. */
    operator fun get(name: String): String? = words[name]?.single()

    /** All words behind an option, none if it is not given. */
    fun all(name: String): List<String> = words[name].orEmpty()

    /** The value of [option], or its default. */
    internal operator fun <T> get(option: ConfigOption<*, T>): T = option.valueIn(this)
}
