package mwlab.prove.differential.commands

import kotlin.random.Random

/** Well-formed commands of the plain text protocol. */
internal class PlainCommands(
    private val random: Random,
    private val words: Vocabulary,
    private val hasUniques: Boolean,
) {
    /** What `gets` last told of some keys. */
    var uniques: Map<String, String> = emptyMap()

    fun retrieval(): String {
        val most = if (random.nextInt(40) == 0) 60 else 5
        val keys = List(random.nextInt(most) + 1) { words.anyKey() }
        val verb = if (hasUniques && random.nextInt(3) == 0) "gets" else "get"
        return if (random.nextInt(5) == 0) touching(keys) else "$verb ${keys.joinToString(" ")}"
    }

    /** Of 2048 bytes at most: a longer one memcached executes or hangs up on, as its bytes come together or one by one. */
    private fun touching(keys: List<String>): String {
        val verb = if (hasUniques && random.nextBoolean()) "gats" else "gat"
        return "$verb ${words.expiry()} ${keys.take(MOST_TOUCHED).joinToString(" ")}"
    }

    fun storage(): String {
        val verb = if (random.nextInt(3) == 0) listOf("add", "replace", "append", "prepend").random(random) else "set"
        if (random.nextInt(3000) ==
            0
        ) {
            return data("$verb ${Vocabulary.BIG_KEYS.random(random)} 7 0", words.largeValue())
        }
        // Digits before digits would make a number that gets shorter as soon as it is counted.
        if (random.nextInt(4) == 0 && verb != "prepend") {
            return data("$verb ${words.counter()} ${words.flags()} ${words.expiry()}", words.number())
        }
        return data("$verb ${words.key()} ${words.flags()} ${words.expiry()}", words.value())
    }

    fun compareAndSet(): String {
        val (key, unique) = uniques.entries.randomOrNull(random)?.toPair() ?: (words.key() to "1")
        val compared = if (random.nextInt(4) == 0) random.nextInt(1000).toString() else unique
        val value = words.value(longest = 200)
        return "cas $key ${words.flags()} ${words.expiry()} ${value.length} $compared${noreply()}\r\n$value"
    }

    fun arithmetic(): String {
        val key = if (random.nextInt(8) == 0) words.key() else words.counter()
        return "${if (random.nextBoolean()) "incr" else "decr"} $key ${words.delta()}${noreply()}"
    }

    fun delete(): String = "delete ${words.anyKey()}${if (random.nextInt(6) == 0) " 0" else ""}${noreply()}"

    fun touch(): String = "touch ${words.anyKey()} ${words.expiry()}${noreply()}"

    fun administration(): String = when (random.nextInt(12)) {
        0 -> "flush_all${noreply()}"

        1 -> "flush_all 0${noreply()}"

        // Until then nothing is invalid, what was flushed before included, of which a memcached may have removed some.
        in 2..4 -> "${words.readAll()}flush_all ${listOf("100000", "2000000", "4000000000").random(random)}${noreply()}"

        in 5..7 -> "verbosity ${random.nextInt(2)}${noreply()}"

        8 -> "stats reset"

        9 -> "stats detail off"

        else -> "version"
    }

    private fun data(line: String, value: String): String = "$line ${value.length}${noreply()}\r\n$value"

    private fun noreply(): String = if (random.nextInt(5) == 0) " noreply" else ""

    private companion object {
        const val MOST_TOUCHED = 7
    }
}
