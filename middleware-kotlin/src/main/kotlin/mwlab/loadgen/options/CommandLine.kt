package mwlab.loadgen.options

/** A command line that cannot be run; [message] says why, in memtier's words where memtier has some. */
class OptionException(message: String, cause: Throwable? = null) : Exception(message, cause)

/**
 * The options of a command line as text, read as getopt_long reads them: `--name=value`, `--name value`, unambiguous
 * prefixes of long names, `-n 5`, `-n5` and joined flags (`-DR`). A later option wins over an earlier one.
 */
internal class CommandLine private constructor(private val values: Map<String, String>) {
    operator fun contains(name: String): Boolean = name in values

    operator fun get(name: String): String? = values[name]

    companion object {
        /** @throws OptionException for unknown, ambiguous, unsupported or incomplete options */
        fun read(arguments: List<String>, table: List<OptionSpec> = optionTable): CommandLine {
            val values = LinkedHashMap<String, String>()
            val rest = ArrayDeque(arguments)
            while (rest.isNotEmpty()) {
                val word = rest.removeFirst()
                when {
                    word.startsWith("--") && word.length > 2 -> values += longOption(word, rest, table)
                    word.startsWith("-") && word.length > 1 -> values += shortOptions(word, rest, table)
                    else -> throw OptionException("unexpected argument '$word'.")
                }
            }
            return CommandLine(values)
        }

        private fun longOption(word: String, rest: ArrayDeque<String>, table: List<OptionSpec>): Pair<String, String> {
            val name = word.substring(2).substringBefore('=')
            val spec = table.find { it.name == name } ?: uniquePrefix(name, table)
            spec.refuse("--${spec.name}")
            val attached = if ('=' in word) word.substringAfter('=') else null
            if (spec.argument == null &&
                attached != null
            ) {
                throw OptionException("option '--${spec.name}' doesn't allow an argument.")
            }
            return spec.name to spec.valueFrom(attached, rest, "--${spec.name}")
        }

        private fun uniquePrefix(name: String, table: List<OptionSpec>): OptionSpec {
            val candidates = table.filter { it.name.startsWith(name) }
            if (candidates.isEmpty()) throw OptionException("unrecognized option '--$name'.")
            if (candidates.size > 1) {
                throw OptionException(
                    "option '--$name' is ambiguous: ${candidates.joinToString(" ") {
                        "'--${it.name}'"
                    }}.",
                )
            }
            return candidates.single()
        }

        private fun shortOptions(word: String, rest: ArrayDeque<String>, table: List<OptionSpec>): Map<String, String> {
            val values = LinkedHashMap<String, String>()
            var position = 1
            while (position < word.length) {
                val letter = word[position++]
                val spec = table.find { it.short == letter } ?: throw OptionException("invalid option -- '$letter'.")
                spec.refuse("-$letter")
                val attached = word.substring(position).takeIf { spec.argument != null && it.isNotEmpty() }
                if (spec.argument != null) position = word.length
                values += spec.name to spec.valueFrom(attached, rest, "-$letter")
            }
            return values
        }

        private fun OptionSpec.refuse(written: String) {
            if (refusal != null) throw OptionException("$written $refusal.")
        }

        private fun OptionSpec.valueFrom(attached: String?, rest: ArrayDeque<String>, written: String): String = when {
            argument == null -> ""
            attached != null -> attached
            else -> rest.removeFirstOrNull() ?: throw OptionException("option '$written' requires an argument.")
        }
    }
}
