package mwlab.options

/**
 * One option of a command line, as it is read and as the help shows it.
 *
 * @property argument its argument in the help, null for a flag
 * @property refusal why it is refused, for an option that is known but not supported
 */
internal open class OptionSpec(
    val name: String,
    val short: Char?,
    val argument: String?,
    val help: String,
    val refusal: String? = null,
)

/** Options that stand together in the help. */
internal class OptionGroup(val title: String, val options: List<OptionSpec>)

/** A line of help: names and argument with a [separator] between them, what it is about from [column] on. */
internal fun OptionSpec.helpLine(separator: String, column: Int): String {
    val letter = short?.let { "-$it, " } ?: "    "
    val value = argument?.let { "$separator$it" }.orEmpty()
    return "  $letter--$name$value".padEnd(column - 1) + " $help"
}
