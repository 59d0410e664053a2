package mwlab.loadgen.options

import mwlab.options.CommandLine
import mwlab.options.demand

/** memcached's limit. */
private const val LONGEST_KEY_BYTES = 250

internal fun readKeys(line: CommandLine): Keys {
    val defaults = Keys()
    val (setPattern, getPattern) = readPatterns(line["key-pattern"] ?: "R:R")
    val keys = Keys(
        prefix = line["key-prefix"] ?: defaults.prefix,
        minimum = readKeyNumber(line, "key-minimum", defaults.minimum),
        maximum = readKeyNumber(line, "key-maximum", defaults.maximum),
        setPattern = setPattern,
        getPattern = getPattern,
        stddev = line.positive("key-stddev", 0.0),
        median = line.positive("key-median", 0.0),
        zipfExponent = readZipfExponent(line, setPattern, getPattern),
        distinctClientSeed = "distinct-client-seed" in line,
        randomize = "randomize" in line,
    )
    checkKeys(keys, line)
    return keys
}

private fun readKeyNumber(line: CommandLine, name: String, default: Long): Long =
    line.number(name, default, 1L..<Long.MAX_VALUE, "$name must be greater than zero.")

private fun readPatterns(text: String): Pair<KeyPattern, KeyPattern> {
    val letters = text.split(':').map { side -> KeyPattern.entries.find { it.letter.toString() == side } }
    demand(letters.size == 2 && null !in letters) {
        "key-pattern must be in the format of [S/R/G/P/Z]:[S/R/G/P/Z]."
    }
    val (set, get) = letters.filterNotNull()
    demand((set == KeyPattern.PARALLEL) == (get == KeyPattern.PARALLEL)) {
        "parallel key-pattern must be configured for both SET and GET commands."
    }
    return set to get
}

private fun readZipfExponent(line: CommandLine, vararg patterns: KeyPattern): Double {
    val exponent = line.positive("key-zipf-exp", 0.0, "key-zipf-exp must be within interval (0, 5).")
    demand(exponent < 5) { "key-zipf-exp must be within interval (0, 5)." }
    return if (exponent == 0.0 && KeyPattern.ZIPF in patterns) 1.0 else exponent
}

private fun checkKeys(keys: Keys, line: CommandLine) {
    demand(keys.minimum <= keys.maximum) { "key-minimum must not be greater than key-maximum." }
    demand(keys.longestBytes <= LONGEST_KEY_BYTES) {
        "key-prefix is too long: keys may have $LONGEST_KEY_BYTES bytes."
    }
    demand(keys.prefix.none { it <= ' ' }) { "key-prefix must not hold blanks or control characters." }
    val gaussian = KeyPattern.GAUSSIAN in listOf(keys.setPattern, keys.getPattern)
    demand(gaussian || ("key-stddev" !in line && "key-median" !in line)) {
        "key-stddev and key-median are only allowed together with key-pattern set to G."
    }
    demand(keys.median == 0.0 || (keys.median > keys.minimum && keys.median < keys.maximum)) {
        "key-median must lie between key-minimum and key-maximum."
    }
}

internal fun readValues(line: CommandLine): Values {
    val given = listOf("data-size", "data-size-range", "data-size-list").filter { it in line }
    demand(given.size <= 1) { "data-size, data-size-range and data-size-list are mutually exclusive." }
    val pattern = line["data-size-pattern"] ?: "R"
    demand(pattern in listOf("R", "S")) { "data-size-pattern must be either R or S." }
    demand(pattern == "R" || given == listOf("data-size-range")) { "data-size-pattern S needs data-size-range." }
    val (earliest, latest) = line.pair("expiry-range", '-', 0L to 0L, "expiry-range must be expressed as [0-n]-[1-n].")
    demand(earliest <= latest) { "expiry-range must be expressed as [0-n]-[1-n]." }
    return Values(
        size = readValueSize(line),
        spreadOverKeys = pattern == "S",
        randomData = "random-data" in line,
        expiryS = earliest..latest,
    )
}

private fun readValueSize(line: CommandLine): ValueSize = when {
    "data-size-range" in line -> {
        val message = "data-size-range must be expressed as [1-n]-[1-n]."
        val (smallest, largest) = line.pair("data-size-range", '-', 0L to 0L, message)
        demand(smallest in 1..largest && largest <= Int.MAX_VALUE) { message }
        ValueSize.Range(smallest.toInt()..largest.toInt())
    }

    "data-size-list" in line -> ValueSize.Weighted(weights(line["data-size-list"].orEmpty()))

    else -> ValueSize.Fixed(line.count("data-size", Values().size.largestBytes))
}

private fun weights(text: String): List<Pair<Int, Int>> = text.split(',').map { entry ->
    val numbers = entry.split(':').map { it.toIntOrNull() ?: 0 }
    demand(numbers.size == 2 && numbers.all { it > 0 }) {
        "data-size-list must be expressed as [size1:weight1],...[sizeN:weightN]."
    }
    numbers[0] to numbers[1]
}
