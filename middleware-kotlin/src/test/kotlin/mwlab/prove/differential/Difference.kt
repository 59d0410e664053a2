package mwlab.prove.differential

/** Commands, all of one batch or the very one, that the systems have answered differently. */
internal class Difference(
    val lane: Lane,
    val seed: Long,
    val batch: Int,
    private val commands: List<String>,
    private val answers: Answers,
) {
    /** The whole batch, for who wants to send it by hand. */
    fun batchBytes(): ByteArray = latin1(commands.joinToString(""))

    /** What was sent and answered, as text that shows every byte. */
    fun describe(): String {
        val at = maxOf(firstDifference(answers.direct, answers.proxied), 0)
        val what = if (commands.size == 1) "command ${show(latin1(commands[0]), 0)}" else "${commands.size} commands"
        val end = answers.shortcoming?.let { "\n  $it" }.orEmpty()
        return "lane $lane, seed $seed, batch $batch: $what\n" +
            "  memcached:  ${show(answers.direct, at)}\n  middleware: ${show(answers.proxied, at)}$end"
    }

    private fun show(bytes: ByteArray, at: Int): String {
        val from = maxOf(0, at - BEFORE)
        val until = minOf(bytes.size, at + AFTER)
        val text = (from until until).joinToString("") { index ->
            val char = (bytes[index].toInt() and 0xff).toChar()
            when {
                index == at && at > 0 -> ">>>${escape(char)}"
                else -> escape(char)
            }
        }
        return "${if (from > 0) "..." else ""}$text${if (until < bytes.size) "... (${bytes.size} bytes)" else ""}"
    }

    private fun escape(char: Char): String = when (char) {
        '\r' -> "\\r"
        '\n' -> "\\n"
        in ' '..'~' -> "$char"
        else -> "\\x%02x".format(char.code)
    }

    private companion object {
        const val BEFORE = 80
        const val AFTER = 200
    }
}
