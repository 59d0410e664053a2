package mwlab.prove.differential.commands

import kotlin.random.Random

/**
 * The commands of one stream, batch by batch; the same ones for the same [seed] and the same replies.
 *
 * The requests of a batch are sent together. Left out are those whose answer differs between any two memcached servers:
 * statistics, and times that are over while the stream runs.
 *
 * @param hasUniques whether there is one server only, which counts `cas` uniques as the one without the middleware does.
 */
internal class StreamGenerator(seed: Long, private val hasUniques: Boolean) {
    private val random = Random(seed)
    private val words = Vocabulary(random)
    private val plain = PlainCommands(random, words, hasUniques)
    private val meta = MetaCommands(random, words, hasUniques)
    private val odd = OddCommands(random, words, hasUniques)

    /** Leaves nothing of earlier streams. */
    fun reset(): String = words.reset()

    /** [count] commands with their line ends; the replies to the last one tell uniques for the next batch. */
    fun batch(count: Int): List<String> = List(count) { index ->
        when {
            index == 0 -> first()

            index == count - 1 -> "${if (hasUniques) "gets" else "get"} ${List(8) {
                words.key()
            }.joinToString(" ")}\r\n"

            else -> ended(next())
        }
    }

    /** Learns the uniques that [reply] tells, the last one that memcached without the middleware gave. */
    fun learn(reply: String) {
        plain.uniques = VALUE.findAll(reply).toList().takeLast(8).associate { it.groupValues[1] to it.groupValues[2] }
    }

    /** How the client ends the connection, or makes memcached end it; null: not at all. */
    fun farewell(): String? = if (random.nextInt(8) == 0) FAREWELLS.random(random) else null

    /** Where a batch of [length] bytes is cut into pieces that are sent one by one. */
    fun cuts(length: Int): IntArray {
        val count = if (random.nextInt(4) == 0) random.nextInt(100) else random.nextInt(6)
        return (IntArray(count) { random.nextInt(1, length) } + length).sortedArray()
    }

    /**
     * What memcached does differently if it has not sent all earlier replies: it drops them if a key of a get is too long, and
     * keeps the length of a number in memory that gets shorter. At the beginning of a batch, it has sent them. The keys before
     * one that is too long are read by memcached, but not through the middleware, so that they must be nobody's.
     */
    private fun first(): String = when (random.nextInt(4)) {
        0 -> "${listOf(
            "get",
            "gets",
            "get nobody",
            "get nobody none",
            "gat 0",
        ).random(random)} ${"k".repeat(random.nextInt(251, 300))}\r\n"

        1 -> shorterNumber()

        else -> ended(next())
    }

    private fun shorterNumber(): String {
        val key = words.counter()
        val change =
            listOf("decr $key 99999999", "incr $key 18446744073704551600", "ma $key T1000000 t v", "ma $key T-1")
        return "set $key 0 0 7\r\n${words.number()}\r\n${change.random(random)}\r\nget $key\r\ndelete $key\r\n"
    }

    private fun next(): String = when (random.nextInt(100)) {
        in 0..28 -> plain.retrieval()
        in 29..47 -> plain.storage()
        in 48..52 -> if (hasUniques) plain.compareAndSet() else plain.storage()
        in 53..58 -> plain.arithmetic()
        in 59..62 -> plain.delete()
        in 63..65 -> plain.touch()
        66 -> plain.administration()
        in 67..76 -> meta.get()
        in 77..84 -> meta.set()
        in 85..87 -> meta.delete()
        in 88..91 -> meta.arithmetic()
        92 -> if (hasUniques) meta.debug() else "mn"
        93 -> "mn"
        else -> odd.next()
    }

    /** Some lines end in a line feed alone, which a data block must not. */
    private fun ended(command: String): String = when {
        random.nextInt(12) > 0 -> "$command\r\n"
        '\n' in command -> command.replaceFirst("\r\n", "\n") + "\r\n"
        else -> "$command\n"
    }

    private companion object {
        val VALUE = Regex("VALUE (\\S+) \\d+ \\d+ (\\d+)\r\n")
        val FAREWELLS = listOf(
            "quit\r\n",
            "quit now\r\n",
            "GET / HTTP/1.1\r\n",
        )
    }
}
