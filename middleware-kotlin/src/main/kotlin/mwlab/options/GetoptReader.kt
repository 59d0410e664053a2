package mwlab.options

/**
 * Reads options as getopt_long does: `--name=value`, `--name value`, unambiguous prefixes of long names, `-n 5`, `-n5`
 * and joined flags (`-DR`). A later option wins over an earlier one.
 */
internal class GetoptReader(private val table: List<OptionSpec>) {
    /** @throws OptionException for unknown, ambiguous, unsupported or incomplete options */
    fun read(arguments: List<String>): CommandLine {
        val words = LinkedHashMap<String, List<String>>()
        val rest = ArrayDeque(arguments)
        while (rest.isNotEmpty()) {
            val word = rest.removeFirst()
            when {
                word.startsWith("--") && word.length > 2 -> words += longOption(word, rest)
                word.startsWith("-") && word.length > 1 -> words += shortOptions(word, rest)
                else -> throw OptionException("unexpected argument '$word'.")
            }
        }
        return CommandLine(words)
    }

    private fun longOption(word: String, rest: ArrayDeque<String>): Pair<String, List<String>> {
        val name = word.substring(2).substringBefore('=')
        val spec = table.find { it.name == name } ?: uniquePrefix(name)
        spec.refuse("--${spec.name}")
        val attached = if ('=' in word) word.substringAfter('=') else null
        demand(spec.argument != null || attached == null) { "option '--${spec.name}' doesn't allow an argument." }
        return spec.name to spec.wordsFrom(attached, rest, "--${spec.name}")
    }

    private fun uniquePrefix(name: String): OptionSpec {
        val candidates = table.filter { it.name.startsWith(name) }
        demand(candidates.isNotEmpty()) { "unrecognized option '--$name'." }
        demand(candidates.size == 1) {
            "option '--$name' is ambiguous: ${candidates.joinToString(" ") { "'--${it.name}'" }}."
        }
        return candidates.single()
    }

    private fun shortOptions(word: String, rest: ArrayDeque<String>): Map<String, List<String>> {
        val words = LinkedHashMap<String, List<String>>()
        var position = 1
        while (position < word.length) {
            val letter = word[position++]
            val spec = table.find { it.short == letter } ?: throw OptionException("invalid option -- '$letter'.")
            spec.refuse("-$letter")
            val attached = word.substring(position).takeIf { spec.argument != null && it.isNotEmpty() }
            if (spec.argument != null) position = word.length
            words += spec.name to spec.wordsFrom(attached, rest, "-$letter")
        }
        return words
    }

    private fun OptionSpec.refuse(written: String) = demand(refusal == null) { "$written $refusal." }

    private fun OptionSpec.wordsFrom(attached: String?, rest: ArrayDeque<String>, written: String): List<String> {
        if (argument == null) return emptyList()
        val word = attached ?: rest.removeFirstOrNull()
        demand(word != null) { "option '$written' requires an argument." }
        return listOf(word)
    }
}
