package mwlab.options

/**
 * Reads options that take as many words as stand before the next one: `--name a b`, `--name=a`, `-n a b`.
 *
 * An option is given once, and by its full name.
 */
internal class WordListReader(private val table: List<OptionSpec>) {
    /** @throws OptionException for unknown and repeated options, and for words that belong to none */
    fun read(arguments: List<String>): CommandLine {
        val words = LinkedHashMap<String, MutableList<String>>()
        var current: MutableList<String>? = null
        for (argument in arguments) {
            if (argument.startsWith("-")) {
                val name = nameOf(argument.substringBefore('='))
                demand(name !in words) { "option --$name is given twice" }
                current = mutableListOf()
                words[name] = current
                if ('=' in argument) current += argument.substringAfter('=').split(' ')
            } else {
                demand(current != null) { "\"$argument\" belongs to no option" }
                current += argument
            }
        }
        return CommandLine(words)
    }

    private fun nameOf(written: String): String {
        val spec = table.find { spec -> written == "--${spec.name}" || written == spec.short?.let { "-$it" } }
        demand(spec != null) { "unknown option $written" }
        return spec.name
    }
}
