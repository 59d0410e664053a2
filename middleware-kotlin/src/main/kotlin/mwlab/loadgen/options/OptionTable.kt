package mwlab.loadgen.options

import mwlab.options.CommandLine
import mwlab.options.GetoptReader
import mwlab.options.OptionGroup
import mwlab.options.OptionSpec
import mwlab.options.helpLine

private fun option(name: String, argument: String, help: String, short: Char? = null) =
    OptionSpec(name, short, argument, help)

private fun flag(name: String, help: String, short: Char? = null) = OptionSpec(name, short, null, help)

private fun refused(reason: String, flags: List<String>, withArgument: List<String>): List<OptionSpec> =
    flags.map { OptionSpec(it, null, null, "", reason) } + withArgument.map { OptionSpec(it, null, "ARG", "", reason) }

internal val optionGroups = listOf(
    OptionGroup(
        "Connection and General Options",
        listOf(
            option("server", "ADDR", "Server address (default: localhost)", 's'),
            option("host", "ADDR", "Same as --server", 'h'),
            option("port", "PORT", "Server port (default: 6379)", 'p'),
            option("unix-socket", "SOCKET", "Path of the server's Unix domain socket, in place of ADDR and PORT", 'S'),
            flag("ipv4", "Force IPv4 address resolution", '4'),
            flag("ipv6", "Force IPv6 address resolution", '6'),
            option("protocol", "PROTOCOL", "Must be given and be memcache_text (memtier's default is redis)", 'P'),
            option("run-count", "NUMBER", "Number of full-test iterations to perform", 'x'),
            flag("debug", "Report every error on stderr, not only the first of each kind", 'D'),
            flag("help", "Display this help"),
            flag("version", "Display version information", 'v'),
        ),
    ),
    OptionGroup(
        "Results Output Options",
        listOf(
            option("out-file", "FILE", "Name of output file (default: stdout)", 'o'),
            option("json-out-file", "FILE", "Name of JSON output file, if not set, will not print to json"),
            option("client-stats", "FILE", "Produce per-client stats file FILE-<run>-<thread>-<client>.csv"),
            option("hdr-file-prefix", "FILE", "Prefix of HDR Latency Histogram output files"),
            flag("show-config", "Print detailed configuration before running"),
            flag("hide-histogram", "Don't print detailed latency histogram"),
            option("print-percentiles", "LIST", "Percentiles of the results table (default: 50,99,99.9)"),
            flag("print-all-runs", "With --run-count, print and save the results of all iterations"),
        ),
    ),
    OptionGroup(
        "Test Options",
        listOf(
            option("requests", "NUMBER", "Requests per client (default: 10000); allkeys: the key range once", 'n'),
            option("test-time", "SECS", "Number of seconds to run the test"),
            option("clients", "NUMBER", "Number of clients per thread (default: 50)", 'c'),
            option("threads", "NUMBER", "Number of threads (default: 4)", 't'),
            option("ratio", "RATIO", "Set:Get ratio (default: 1:10)"),
            option("pipeline", "NUMBER", "Number of concurrent pipelined requests (default: 1)"),
            option("multi-key-get", "NUM", "Enable multi-key get commands, up to NUM keys (default: 0)"),
            option("rate-limiting", "NUMBER", "Most requests per second of a client, also 33.3 (default: unlimited)"),
            option("reconnect-interval", "NUM", "Number of requests after which re-connection is performed"),
            flag("reconnect-on-error", "Connect again after a connection error (default: the connection is given up)"),
            option("max-reconnect-attempts", "NUM", "Most attempts to connect again in a row (default: 0, unlimited)"),
            option("reconnect-backoff-factor", "NUM", "Factor between their delays (default: 0, constant)"),
            option("connection-timeout", "SECS", "Limit of one attempt to connect (default: 0, ten seconds)"),
            flag("distinct-client-seed", "A different random seed for each client, also across instances and hosts"),
            flag("randomize", "Random seed drawn at start (default is constant value)"),
        ),
    ),
    OptionGroup(
        "Object Options",
        listOf(
            option("data-size", "SIZE", "Object data size in bytes (default: 32)", 'd'),
            flag("random-data", "Indicate that data should be randomized", 'R'),
            option("data-size-range", "RANGE", "Use random-sized items in the specified range (min-max)"),
            option("data-size-list", "LIST", "Use sizes from weight list (size1:weight1,..sizeN:weightN)"),
            option("data-size-pattern", "R|S", "R: random size (default), S: sizes spread evenly over the key range"),
            option("expiry-range", "RANGE", "Use random expiry values from the specified range"),
        ),
    ),
    OptionGroup(
        "Key Options",
        listOf(
            option("key-prefix", "PREFIX", "Prefix for keys (default: \"memtier-\")"),
            option("key-minimum", "NUMBER", "Key ID minimum value (default: 0)"),
            option("key-maximum", "NUMBER", "Key ID maximum value (default: 10000000)"),
            option(
                "key-pattern",
                "PATTERN",
                "Set:Get of R(andom), S(equential), G(auss), P(arallel), Z(ipf) (default R:R)",
            ),
            option("key-stddev", "NUM", "Standard deviation of the Gaussian distribution (default: key range / 6)"),
            option("key-median", "NUM", "Median of the Gaussian distribution (default: centre of the key range)"),
            option("key-zipf-exp", "NUM", "Exponent of the zipf distribution, in (0, 5) (default: 1)"),
        ),
    ),
    OptionGroup(
        "Beyond memtier",
        listOf(
            option("arrivals", "poisson", "Open loop: Poisson arrivals at --rate, whatever the replies do"),
            option("rate", "NUMBER", "Requests per second of this process in an open loop"),
            option("think-time", "MSECS", "Closed loop: pause between a reply and the next request"),
            option("start-at", "-", "Connect, say ready, read from standard input at which second since 1970 to start"),
            option(
                "queue-mix",
                "LIST",
                "Messages of a middleware with queues, in random order (send:40,pop:40,peek:10,list:10)",
            ),
            option("queues", "NUMBER", "Of --queue-mix: queues, named by --key-prefix and a number (default: 1)"),
            option("receivers", "NUMBER", "Of --queue-mix: receivers r1, r2, ... (default: 0, messages are to nobody)"),
            option("follow", "1/N", "Write down one of N requests, the same as a middleware with --follow"),
            option("follow-file-prefix", "FILE", "Prefix of their CSV, and of that of the generator's own pauses"),
        ),
    ),
)

private val refusedOptions = refused(
    "is for Redis only",
    flags = listOf("cluster-mode", "scan-incremental-iteration"),
    withArgument = listOf(
        "uri", "data-offset", "select-db", "wait-ratio", "num-slaves", "wait-timeout", "command", "command-key-pattern",
        "command-ratio", "command-stats-breakdown", "monitor-input", "monitor-pattern",
        "scan-incremental-max-iterations",
    ),
) + refused(
    "is not supported by this generator",
    flags = listOf("tls", "tls-skip-verify", "data-verify", "verify-only", "generate-keys", "no-expiry"),
    withArgument = listOf(
        "cert", "key", "cacert", "sni", "tls-protocols", "data-import",
        "clients-start", "clients-step", "step-duration",
        "thread-conn-start-min-jitter-micros", "thread-conn-start-max-jitter-micros",
        "statsd-host", "statsd-port", "statsd-prefix", "statsd-run-label", "graphite-port",
    ),
) + OptionSpec("authenticate", 'a', "ARG", "", "can only be used with redis or memcache_binary")

internal val optionTable: List<OptionSpec> = optionGroups.flatMap { it.options } + refusedOptions

/** The options of [arguments]; throws an [mwlab.options.OptionException] that says what is wrong with them. */
internal fun readCommandLine(arguments: List<String>): CommandLine = GetoptReader(optionTable).read(arguments)

/** The text of `--help`. */
internal fun usage(): String = buildString {
    appendLine("Usage: memtier_benchmark [options]")
    appendLine("A traffic generator for memcached with the options and outputs of memtier_benchmark 2.3.1.")
    for (group in optionGroups) {
        appendLine()
        appendLine("${group.title}:")
        group.options.forEach { appendLine(it.helpLine("=", HELP_COLUMN)) }
    }
}

private const val HELP_COLUMN = 38
