package mwlab.prove.differential.commands

import kotlin.random.Random

/**
 * The words of generated commands: keys, values and numbers.
 *
 * Counters are kept apart. Memcached changes a number in place unless a reply that it has not sent yet shows it: then it makes
 * a new item, which was never fetched, and has no trailing spaces if the number has become shorter. So only [counters] hold
 * numbers, these keep their digits, and nobody asks whether they were fetched.
 */
internal class Vocabulary(private val random: Random) {
    val counters = List(6) { "count$it" }

    /**
     * All keys as the plain commands know them; what base64 stands for can be read by meta commands only. Its own text is a key
     * where a zero byte cuts off the flag that says that it is base64.
     */
    private val plainKeys = PLAIN_KEYS + BIG_KEYS + counters + BASE64_KEYS

    fun key(): String = PLAIN_KEYS.random(random)

    fun counter(): String = counters.random(random)

    fun anyKey(): String = if (random.nextInt(5) == 0) counter() else key()

    /** A key as a meta command has it, with the flag that it needs. */
    fun metaKey(): Pair<String, String> =
        if (random.nextInt(4) == 0) BASE64_KEYS.random(random) to " b" else anyKey() to ""

    /** Leaves none of them. */
    fun reset(): String = plainKeys.joinToString("") { "delete $it noreply\r\n" } +
        BASE64_KEYS.joinToString("") { "md $it b q\r\n" } + "verbosity 0\r\n"

    /** Reads every key, which removes what a flush has made invalid. */
    fun readAll(): String = "get ${plainKeys.joinToString(" ")}\r\n" +
        BASE64_KEYS.joinToString("") { "mg $it b\r\n" }

    /** A value that is no number. */
    fun value(longest: Int = Int.MAX_VALUE): String {
        val length = when (random.nextInt(200)) {
            0 -> random.nextInt(20_000)
            in 1..10 -> random.nextInt(2_000)
            in 11..40 -> 0
            else -> random.nextInt(1, 40)
        }
        return text(minOf(length, longest))
    }

    /** As large as values may be, and a little larger. */
    fun largeValue(): String = when (random.nextInt(3)) {
        0 -> text(1_048_576 + random.nextInt(-600, 40))
        1 -> text(random.nextInt(500_000, 1_200_000))
        else -> text(random.nextInt(20_000, 300_000))
    }

    fun number(): String = (NUMBER + random.nextInt(100_000)).toString()

    fun delta(): String = random.nextInt(20).toString()

    /** Neither a date nor an end that could come while the stream runs. */
    fun expiry(): String = when (random.nextInt(8)) {
        0 -> "-1"
        1 -> "${random.nextInt(1_000, 200_000)}5"
        2 -> EXPIRIES.random(random)
        else -> "0"
    }

    fun flags(): String = if (random.nextInt(20) == 0) FLAGS.random(random) else random.nextInt(100).toString()

    fun oddNumber(): String = ODD_NUMBERS.random(random)

    private fun text(length: Int): String = when {
        length == 0 -> ""
        length > 100 -> "x" + LONG_TEXT.substring(random.nextInt(1000)).repeat(length / 1000 + 1).take(length - 1)
        else -> "x" + String(CharArray(length - 1) { CHARACTERS[random.nextInt(CHARACTERS.length)] })
    }

    companion object {
        private const val NUMBER = 5_000_000
        private const val CHARACTERS = "abcdefghij klmnop 0123456789\r\n\u0000\u0001\u0080\u00ffEND\r\nVA 1\r\n"
        private val LONG_TEXT = (0..1999).joinToString("") { "${CHARACTERS[it * it % CHARACTERS.length]}" }
        private val PLAIN_KEYS =
            listOf("a", "b", "0", "-1", "noreply", "get", "\u00ff\u00fe", "a\u0001b\u007f", "v", "q") +
                List(12) { "key:$it" } + listOf("k".repeat(250), "l".repeat(249), "m".repeat(100))
        val BIG_KEYS = List(3) { "big$it" }

        /**
         * Keys with spaces, zeros, carriage returns and so on in them, and two that plain commands can name, too. Those with line feeds
         * are not passed on.
         */
        private val BASE64_KEYS = listOf("DQ==", "Z2V0IGEN", "AA==", "IA==", "/+7d", "YQ==", "a2V5OjE=")
        private val FLAGS = listOf("4294967295", "2147483648", "+7", "-0", "00012", "-9223372036854775809")
        private val EXPIRIES = listOf("2592000", "2592001", "1000000000", "4000000000", "-2147483648", "2147483647")

        /** None is a time that could come while the stream runs, also when cut to 32 bits. */
        private val ODD_NUMBERS = (
            "0 -0 -1 +100000 00100000 1x x 0x10 1.5 1e3 -x + - 2147483647 2147483648 -2147483648 -2147483649 " +
                "4294967295 4294967296 4295067296 9223372036854775807 9223372036854775808 18446744073709551615 " +
                "18446744073709551616 " +
                "\t100000 100000\t \u000b100000 -9223372036854775808 -9223372036854775809 99999999999999999999 " +
                "00000000000000000000100000 \u00b2 100000\u0000"
            ).split(" ")
    }
}
