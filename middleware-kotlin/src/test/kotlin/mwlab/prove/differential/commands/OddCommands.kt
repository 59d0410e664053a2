package mwlab.prove.differential.commands

import kotlin.random.Random

/** Lines that are no commands, or no right ones. Each is complete: it takes nothing of what follows for its data. */
internal class OddCommands(private val random: Random, private val words: Vocabulary, private val hasUniques: Boolean) {
    private val long = "k".repeat(251)

    fun next(): String = when (random.nextInt(12)) {
        in 0..3 -> FIXED.random(random).replace("LONG", long).replace("~", "\r\n")
        4 -> mutated()
        5 -> "touch ${words.anyKey()} ${words.oddNumber()}${noreply()}"
        6 -> "${listOf("incr", "decr").random(random)} ${words.key()} ${words.oddNumber()}${noreply()}"
        7 -> "${STORING.random(random)} ${words.key()} ${words.oddNumber()} ${words.oddExpiry()} 2${noreply()}\r\nxy"
        8 -> wrongBlock()
        9 -> if (!hasUniques) "cas" else "cas ${words.key()} 0 0 2 ${words.oddNumber()}${noreply()}\r\nxy"
        10 -> "${STORING.random(random)} $long 0 0 2${noreply()}\r\nxy"
        else -> String(CharArray(random.nextInt(30)) { random.nextInt(1, 256).toChar() }).replace('\n', ' ')
    }

    /** A data block that does not end where it should; the rest of it is taken for commands. */
    private fun wrongBlock(): String {
        val key = words.key()
        val value = "y".repeat(random.nextInt(1, 60))
        val announced = random.nextInt(value.length)
        return when (random.nextInt(3)) {
            0 -> "${STORING.random(random)} $key 0 0 $announced${noreply()}\r\n$value"

            1 -> "ms $key $announced${listOf("", " q", " k O1").random(random)}\r\n$value"

            // It takes the commands behind it, the last of which is cut.
            else -> "set $key 0 0 ${value.length + random.nextInt(1, 9)}${noreply()}\r\n$value\r\nget a\r\nget b"
        }
    }

    /** A right command line with one word lost, doubled, or damaged. */
    private fun mutated(): String {
        val line = RIGHT.filter { hasUniques || !it.startsWith("me ") }.random(random).split(" ").toMutableList()
        val at = random.nextInt(line.size)
        when (random.nextInt(4)) {
            0 -> line.removeAt(at)
            1 -> line.add(at, line[at])
            2 -> line[at] = line[at].uppercase()
            else -> line[at] += listOf("\u0000", "\r", "\t", "\u00ff", "x").random(random)
        }
        return (if (random.nextInt(4) == 0) " " else "") + line.joinToString(if (random.nextInt(4) == 0) "  " else " ")
    }

    private fun Vocabulary.oddExpiry(): String = if (random.nextBoolean()) "0" else oddNumber()

    private fun noreply(): String = if (random.nextInt(4) == 0) " noreply" else ""

    private companion object {
        val STORING = listOf("set", "add", "replace", "append", "prepend")
        val RIGHT = """
            get a b|gat 0 a b|delete a noreply|touch a 0 noreply|incr a 1 noreply|verbosity 1 noreply|mg a v k O1|md a q k|mn
            version|me a|delete b 0|ma a D1 q|mg b s|flush_all noreply
        """.trimIndent().split("|", "\n")
        val FIXED = """
            || |  |x|get|gets |bget a|gat|gat 10|gat x a|GET a|a b c d|hello world|get a${"\u0000"}b|${"\u0000"}|${"\r"}
            flush_all noreply noreply|verbosity noreply noreply|incr a noreply noreply|touch a noreply noreply|delete a noreply noreply
            delete LONG 1|delete LONG 0|delete noreply noreply|delete noreply 0 noreply|delete a 0 0|delete a x noreply
            set a 0 0 2147483648|set a 0 0 -1|set a 0 0 -2147483648|set a 0 0 99999999999999999999|touch a 4294967295
            set|set a|set a 0 0|set a x 0 1|set a 0 0 abc|set a 0 0 1 2 3|add a 0 x 0 noreply|set LONG 0 0 0 noreply|set a 0 0 noreply
            cas a 0 0 1|cas a 0 0 1 x|incr a|incr a x|incr a -1|incr count0 1 2 3|incr LONG 1 noreply|incr LONG 1|decr LONG 1
            touch a|touch a x|touch a x noreply|touch a noreply|touch LONG 0|verbosity|verbosity x|flush_all x|flush_all 0 1 2
            delete|delete a 0|delete a 1|delete a 0 noreply|delete a 1 2|delete noreply|delete LONG|delete LONG noreply
            mg|mg a|mg a z|mg a v v|mg LONG v|mg a v k s v c f k s v c f v k s f s v k|mg a v k s f O123|mg !!! b|mg YQ b v
            ms|ms a|ms a x|ms a -1|ms a 2147483648|md|md a z|ma|ma a Mz|ma a Dx|me|me LONG|me ${"n".repeat(
            250,
        )}|mn 1 2|mx
            ms LONG 2~xy|ms !!! 2 b~xy|ms YQ 2 b q~xy|ms a S2|md LONG|ma LONG|md !!! b|ma !!! b|mg ${"YWFh".repeat(
            63,
        )} b|md YQ== b k|mg YQ== b k v|ma YQ== b
        """.trimIndent().split("|", "\n")
    }
}
