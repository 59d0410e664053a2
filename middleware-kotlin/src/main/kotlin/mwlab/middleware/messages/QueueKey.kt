package mwlab.middleware.messages

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** What the key of a command stands for where servers hold message queues. */
internal sealed interface QueueKey {
    /**
     * `NAME[/to/R][/from/S]`, with `/peek` behind it if messages are only looked at.
     *
     * @property receiver empty: messages to nobody.
     * @property sender null: messages from anybody, or from nobody.
     */
    class Messages(val queue: String, val receiver: String, val sender: String?, val isPeek: Boolean) : QueueKey {
        /** The key is the name of a queue and no more. */
        val isName: Boolean get() = receiver.isEmpty() && sender == null && !isPeek
    }

    /** The queues that have messages to [receiver]: an asterisk, then `/waiting[/to/R]`. */
    class Waiting(val receiver: String) : QueueKey

    companion object {
        /** What stands between two absolute indices of [buffer]; null if it is no such key. */
        fun parse(buffer: ByteBuffer, start: Int, end: Int): QueueKey? = try {
            parse(Charsets.UTF_8.newDecoder().decode(buffer.slice(start, end - start)).toString())
        } catch (_: CharacterCodingException) {
            null
        }

        fun parse(text: String): QueueKey? {
            val words = text.split('/')
            if (words.any { it.isEmpty() || it.any(::isNoneOfNames) }) return null
            val isWaiting = words.size > 1 && words[0] == "*" && words[1] == "waiting"
            val rest = Rest(words, from = if (isWaiting) 2 else 1)
            val receiver = rest.behind("to").orEmpty()
            if (isWaiting) return Waiting(receiver).takeIf { rest.isEmpty }
            val sender = rest.behind("from")
            val isPeek = rest.skip("peek")
            return Messages(words[0], receiver, sender, isPeek).takeIf { rest.isEmpty }
        }

        private fun isNoneOfNames(char: Char) = char.isISOControl() || char.isWhitespace()
    }

    /** The [words] that are not read yet. */
    private class Rest(private val words: List<String>, private var from: Int) {
        val isEmpty: Boolean get() = from == words.size

        /** The word behind [mark], if that is next. */
        fun behind(mark: String): String? {
            if (words.getOrNull(from) != mark || from + 1 == words.size) return null
            from += 2
            return words[from - 1]
        }

        fun skip(word: String): Boolean = (words.getOrNull(from) == word).also { if (it) from++ }
    }
}
