package mwlab.options

/**
 * An option behind a property of a configuration of type [C].
 *
 * @property default as help and documents show it, empty if there is none
 * @property fact the configuration's value, as results tell it; null: they do not
 * @property valueIn what a command line gives it
 */
internal class ConfigOption<C, out T>(
    name: String,
    short: Char?,
    argument: String?,
    help: String,
    val default: String,
    val fact: ((C) -> Any?)?,
    val valueIn: (CommandLine) -> T,
) : OptionSpec(name, short, argument, if (default.isEmpty()) help else "$help (default: $default)")

/**
 * The one table of a program's options: a subclass declares each as a property, in the order of the help.
 *
 * A default is written as a user would write the value, so help, parser and configuration cannot differ.
 */
internal abstract class ConfigOptions<C> {
    private val declared = mutableListOf<ConfigOption<C, *>>()

    /** All options, in the order in which they are declared. */
    val all: List<ConfigOption<C, *>> get() = declared

    /** An option with a default. */
    protected fun <T> option(
        name: String,
        argument: String,
        help: String,
        kind: OptionKind<T>,
        default: String,
        fact: ((C) -> Any?)? = null,
        short: Char? = null,
    ): ConfigOption<C, T> = ConfigOption(name, short, argument, help, default, fact) { line ->
        kind.read(name, line.single(name, kind) ?: default)
    }.declared()

    /** An option that is null if it is not given; [shown] says in words what that means. */
    protected fun <T : Any> optional(
        name: String,
        argument: String,
        help: String,
        kind: OptionKind<T>,
        shown: String = "",
        fact: ((C) -> Any?)? = null,
        short: Char? = null,
    ): ConfigOption<C, T?> = ConfigOption(name, short, argument, help, shown, fact) { line ->
        line.single(name, kind)?.let { kind.read(name, it) }
    }.declared()

    /** An option with any number of values. */
    protected fun <T> list(
        name: String,
        argument: String,
        help: String,
        kind: OptionKind<T>,
        fact: ((C) -> Any?)? = null,
        short: Char? = null,
    ): ConfigOption<C, List<T>> = ConfigOption(name, short, argument, help, "", fact) { line ->
        line.all(name).map { kind.read(name, it) }
    }.declared()

    /** An option without a value. */
    protected fun flag(name: String, help: String, short: Char? = null): ConfigOption<C, Boolean> =
        ConfigOption<C, Boolean>(name, short, null, help, "", null) { line -> name in line }.declared()

    private fun <T> ConfigOption<C, T>.declared() = also { declared += it }

    private fun CommandLine.single(name: String, kind: OptionKind<*>): String? {
        if (name !in this) return null
        val words = all(name).ifEmpty { listOfNotNull(kind.alone) }
        demand(words.size == 1) { "option --$name takes one value, got ${words.size}" }
        return words.single()
    }
}
