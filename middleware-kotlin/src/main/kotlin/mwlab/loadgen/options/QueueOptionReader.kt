package mwlab.loadgen.options

import mwlab.loadgen.request.Operation
import mwlab.memcached.MAX_KEY_BYTES
import mwlab.options.CommandLine
import mwlab.options.demand

/** What `--queue-mix` may name. */
private val operations = Operation.OF_QUEUES.associateBy { it.word }

/** Options about objects, which queues do not have. */
private val contraryToQueues = listOf(
    "mix", "ratio", "multi-key-get", "workload", "replay", "expiry-range", "data-size-pattern",
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
    return Mix(weights = readWeights("queue-mix", text, operations), queues = queues)
}

internal fun checkQueues(options: Options) {
    val queues = options.mix.queues ?: return
    val prefix = options.keys.prefix
    demand('/' !in prefix) { "key-prefix must not hold a slash: with --queue-mix it begins the names of queues." }
    demand(queues.longestKeyBytes(prefix) <= MAX_KEY_BYTES) {
        "key-prefix is too long: keys of messages may have $MAX_KEY_BYTES bytes."
    }
}
