package mwlab.loadgen.options

import mwlab.loadgen.request.Operation
import mwlab.memcached.MAX_KEY_BYTES
import mwlab.options.CommandLine
import mwlab.options.demand

/** What `--queue-mix` may name. */
private val operations = Operation.OF_QUEUES.associateBy { it.word }

/** Options about objects, which queues do not have. */
private val contraryToQueues = listOf(
    "ratio", "multi-key-get", "expiry-range", "data-size-pattern",
    "key-minimum", "key-maximum", "key-pattern", "key-stddev", "key-median", "key-zipf-exp",
)

/** What is sent where it is messages; null: it is not. */
internal fun readQueueMix(line: CommandLine): Mix? {
    for (name in listOf("queues", "receivers")) {
        demand(name !in line || "queue-mix" in line) { "--$name needs --queue-mix." }
    }
    val text = line["queue-mix"] ?: return null
    contraryToQueues.forEach { name ->
        demand(name !in line) { "--queue-mix and --$name are mutually exclusive." }
    }
    demand(line["requests"] != "allkeys") { "--requests=allkeys goes through keys, and --queue-mix has none." }
    val queues = Queues(line.count("queues", Queues().count), line.count("receivers", Queues().receivers, from = 0))
    return Mix(queues = queues, weights = readWeights(text))
}

private fun readWeights(text: String): Map<Operation, Int> {
    val entries = text.split(',').map { entry ->
        val (word, number) = entry.substringBefore(':') to entry.substringAfter(':', "").toIntOrNull()
        val operation = operations[word]
        demand(operation != null && number != null && number > 0) {
            "queue-mix must be expressed as [operation1:weight1],...[operationN:weightN] " +
                "of ${operations.keys.joinToString(" ")}."
        }
        operation to number
    }
    val weights = entries.toMap()
    demand(weights.size == entries.size) { "queue-mix must name each operation only once." }
    demand(weights.values.sumOf { it.toLong() } <= Int.MAX_VALUE) { "the weights of queue-mix are too large." }
    return weights
}

internal fun checkQueues(options: Options) {
    val queues = options.mix.queues ?: return
    demand(options.output.clientStats == null) {
        "--client-stats tells of sets and gets only; it cannot be combined with --queue-mix."
    }
    val prefix = options.keys.prefix
    demand('/' !in prefix) { "key-prefix must not hold a slash: with --queue-mix it begins the names of queues." }
    demand(queues.longestKeyBytes(prefix) <= MAX_KEY_BYTES) {
        "key-prefix is too long: keys of messages may have $MAX_KEY_BYTES bytes."
    }
}
