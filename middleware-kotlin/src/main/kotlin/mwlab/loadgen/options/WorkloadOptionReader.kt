package mwlab.loadgen.options

import mwlab.follow.Follow
import mwlab.loadgen.request.Operation
import mwlab.memcached.MAX_KEY_BYTES
import mwlab.options.CommandLine
import mwlab.options.demand

/** What `--mix` may name: `gets` and `add` come along with cas, incr and decr. */
private val operations = (Operation.OF_OBJECTS - Operation.GETS - Operation.ADD).associateBy { it.word }

/** Of the ETC pool. */
private const val ETC_GETS_PER_SET = 30

/** Options that say what a trace says itself. */
private val contraryToReplay = listOf(
    "ratio", "mix", "multi-key-get", "workload", "requests", "arrivals", "rate", "on-off",
    "think-time", "rate-limiting",
    "key-prefix", "key-minimum", "key-maximum", "key-pattern", "key-stddev", "key-median", "key-zipf-exp",
    "data-size", "data-size-range", "data-size-list", "data-size-pattern",
)

internal fun readMix(line: CommandLine): Mix {
    readQueueMix(line)?.let { return it }
    val defaults = if ("workload" in line) Mix(sets = 1, gets = ETC_GETS_PER_SET) else Mix()
    demand("mix" !in line || "ratio" !in line) { "--mix and --ratio are mutually exclusive." }
    val (sets, gets) = line.pair(
        "ratio",
        ':',
        defaults.sets.toLong() to defaults.gets.toLong(),
        "ratio must be expressed as [0-n]:[0-n].",
    )
    demand(sets + gets in 1..Int.MAX_VALUE) { "ratio must be expressed as [0-n]:[0-n], not both zero." }
    val multiKeyGet = line.count("multi-key-get", defaults.multiKeyGet)
    val weights = line["mix"]?.let { readWeights("mix", it, operations) }.orEmpty()
    return Mix(sets.toInt(), gets.toInt(), multiKeyGet, weights)
}

internal fun readWeights(option: String, text: String, operations: Map<String, Operation>): Map<Operation, Int> {
    val entries = text.split(',').map { entry ->
        val (word, number) = entry.substringBefore(':') to entry.substringAfter(':', "").toIntOrNull()
        val operation = operations[word]
        demand(operation != null && number != null && number > 0) {
            "$option must be expressed as [operation1:weight1],...[operationN:weightN] " +
                "of ${operations.keys.joinToString(" ")}."
        }
        operation to number
    }
    val weights = entries.toMap()
    demand(weights.size == entries.size) { "$option must name each operation only once." }
    demand(weights.values.sumOf { it.toLong() } <= Int.MAX_VALUE) { "the weights of $option are too large." }
    return weights
}

internal fun readReplay(line: CommandLine): Arrivals.Replay {
    contraryToReplay.forEach { name ->
        demand(name !in line) { "--replay and --$name are mutually exclusive." }
    }
    return Arrivals.Replay(line["replay"].orEmpty(), line.positive("replay-speed", 1.0))
}

internal fun readSample(line: CommandLine): Sample? {
    demand(("sample" in line) == ("sample-file" in line)) { "--sample and --sample-file must be given together." }
    val share = line["sample"] ?: return null
    val oneOf = share.removePrefix("1/").toIntOrNull()
    demand(share.startsWith("1/") && oneOf != null && oneOf > 0) { "sample must be expressed as 1/[1-n]." }
    return Sample(oneOf, line["sample-file"].orEmpty())
}

internal fun readFollowed(line: CommandLine): Followed? {
    demand(("follow" in line) == ("follow-file-prefix" in line)) {
        "--follow and --follow-file-prefix must be given together."
    }
    val follow = Follow.parse(line["follow"] ?: return null)
    demand(follow != null) { "follow must be expressed as 1/[1-n]." }
    return Followed(follow, line["follow-file-prefix"].orEmpty())
}

internal fun checkMix(options: Options) {
    val mix = options.mix
    val hasGets = if (mix.weights.isEmpty()) mix.gets > 0 else Operation.GET in mix.weights
    val source = if (mix.weights.isEmpty()) "--ratio with gets" else "--mix with get"
    demand(mix.multiKeyGet <= 1 || hasGets) { "--multi-key-get needs a $source." }
    val counts = mix.weights.keys.any { it.counts }
    demand(!counts || options.keys.longestBytes + Keys.COUNTER.length <= MAX_KEY_BYTES) {
        "key-prefix is too long: keys of numbers may have ${MAX_KEY_BYTES} bytes, too."
    }
    val isFurther = mix.weights.isNotEmpty() || options.pacing.arrivals is Arrivals.Replay
    demand(!isFurther || options.output.clientStats == null) {
        "--client-stats tells of sets and gets only; it cannot be combined with --mix, --queue-mix or --replay."
    }
}
