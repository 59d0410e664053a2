package mwlab.prove.differential.commands

import kotlin.random.Random

/** Meta commands with any of their flags, in any order. */
internal class MetaCommands(
    private val random: Random,
    private val words: Vocabulary,
    private val hasUniques: Boolean,
) {
    fun get(): String {
        val (key, base64) = words.metaKey()
        val isCounter = key in words.counters
        // A counter may lose the marks of `N`, `R` and `I` whenever it is counted.
        val makes = random.nextInt(6) == 0 && !isCounter
        val known = GET_FLAGS.filterNot { it == "h" && isCounter }
        // No time ends within some seconds of that of an `R`.
        val vivid = if (makes) listOf("N10000", "R90000") else listOf("R30")
        return "mg $key${flags(base64, known + vivid + time("T") + unique("c"))}"
    }

    fun set(): String {
        val (key, base64) = words.metaKey()
        // The value of a command with too many flags is taken for a line, which may not be longer than that.
        val value = if (key in words.counters) words.number() else words.value(longest = 2000)
        // Digits before digits would make a number that gets shorter as soon as it is counted.
        val mode = (if (key in words.counters) SAFE_MODES else SAFE_MODES + listOf("MP", "MX", "Mp")).random(random)
        val stale = if (key in words.counters) emptyList() else unique("I")
        val known = SET_FLAGS + time("T") + mode + unique("c") + unique("C${random.nextInt(1000)}") + stale
        return "ms $key ${value.length}${flags(
            base64,
            known + listOf("F${words.oddNumber()}", "F${words.flags()}", "N10000"),
        )}\r\n$value"
    }

    fun delete(): String {
        val (key, base64) = words.metaKey()
        val known =
            listOf("q", "k", "Oopaque", "O1") + time("T") + listOf("I").filter { key !in words.counters } +
                unique("C${random.nextInt(1000)}")
        return "md $key${flags(base64, known)}"
    }

    /** Without `T`: memcached gives the new time to the old item if a reply that it has not sent yet makes it take a new one. */
    fun arithmetic(): String {
        val key = if (random.nextInt(8) == 0) words.key() else words.counter()
        val mode = listOf("MI", "MD", "M+", "M-", "Mi", "Md", "Mx", "MII").random(random)
        val created = if (key in words.counters) listOf("N10000 J", "N0 J").map { it + words.number() } else listOf("t")
        val known = listOf("q", "k", "t", "v", "Oxyz", "D${words.delta()}", mode) + created.random(random)
        return "ma $key${flags("", known + unique("c") + unique("C${random.nextInt(1000)}"))}"
    }

    fun debug(): String = "me ${words.key()}"

    private fun flags(needed: String, known: List<String>): String {
        val share = random.nextInt(1, 8)
        val chosen = known.filter { random.nextInt(8) < share }.shuffled(random)
        val odd = if (random.nextInt(40) == 0) " ${ODD_FLAGS.random(random)}" else ""
        return (chosen + needed.trim()).filter(String::isNotEmpty).joinToString("") { " $it" } + odd
    }

    private fun time(flag: String): List<String> = listOfNotNull(
        (flag + words.expiry()).takeIf {
            random.nextInt(3) == 0
        },
    )

    private fun unique(flag: String): List<String> = if (hasUniques) listOf(flag) else emptyList()

    private companion object {
        val GET_FLAGS = listOf("f", "h", "k", "l", "O123", "q", "s", "t", "v")
        val SAFE_MODES = listOf("MS", "ME", "MR", "MA", "Ms", "Me")
        val SET_FLAGS = listOf("q", "k", "Oabcdefgh", "S3")
        const val MANY_FLAGS = "k v s f t l q O1 T0 k v s f t l q O1 T0 k v s f t l q O1 T0"
        val ODD_FLAGS = "z|k k|v v|Tx|T|F-1|Fx|Cx|O|Mz|M|b|Nx|Jx|Dx|D-1|Rx|\u00ff|\u0001|E5".split("|") +
            listOf("O${"o".repeat(32)}", "O${"o".repeat(33)}", MANY_FLAGS)
    }
}
