package mwlab.middleware

import mwlab.middleware.database.DatabaseUrl
import mwlab.options.WordListReader
import mwlab.options.helpLine

/** What the command line asks for. */
internal sealed interface Invocation {
    class Run(val config: MiddlewareConfig) : Invocation

    data object Help : Invocation

    data object Version : Invocation

    /** Something on it is wrong: [message] says what, in one line. */
    class Invalid(val message: String) : Invocation

    companion object {
        private const val COMMON = "middleware [-l <ip>] -p <port> [-t <workers>]"
        private val USAGE = listOf(
            "$COMMON [-s <true|false>] -m <ip:port> [<ip:port> ...]",
            "$COMMON --backend postgresql --database ${DatabaseUrl.FORM} ...",
        )
        private const val HELP_COLUMN = 34

        /** The text of `--help`. */
        val HELP: String = buildString {
            appendLine("usage: ${USAGE.joinToString("\n       ")}")
            appendLine()
            MiddlewareOptions.all.forEach { appendLine(it.helpLine(" ", HELP_COLUMN)) }
        }

        /** Understands [arguments]; never throws. */
        fun parse(arguments: Array<String>): Invocation = try {
            val line = WordListReader(MiddlewareOptions.all).read(arguments.toList())
            when {
                line[MiddlewareOptions.help] -> Help
                line[MiddlewareOptions.version] -> Version
                else -> Run(MiddlewareConfig.of(line))
            }
        } catch (invalid: IllegalArgumentException) {
            Invalid(invalid.message.orEmpty())
        }
    }
}
