package mwlab.loadgen.options

import mwlab.follow.Follow
import mwlab.options.CommandLine
import mwlab.options.demand
import kotlin.time.Duration.Companion.milliseconds

/**
 * Makes [Options] of a command line, with memtier's defaults, rules and messages.
 *
 * @throws mwlab.options.OptionException if an option is unknown, unsupported or has a bad value, or if options contradict each other
 */
internal fun readOptions(line: CommandLine): Options {
    val options = Options(
        target = readTarget(line),
        load = readLoad(line),
        mix = readQueueMix(line) ?: readMix(line),
        keys = readKeys(line),
        values = readValues(line),
        pacing = readPacing(line),
        output = readOutput(line),
    )
    checkTogether(options)
    return options
}

private fun readTarget(line: CommandLine): Target {
    val protocol = line["protocol"] ?: "redis"
    demand(protocol == "memcache_text") { "protocol '$protocol' is not supported; give --protocol=memcache_text." }
    demand("unix-socket" !in line || listOf("server", "host", "port").none { it in line }) {
        "--unix-socket stands in place of --server and --port."
    }
    val defaults = Target()
    return Target(
        server = line["server"] ?: line["host"] ?: defaults.server,
        unixSocket = line["unix-socket"],
        port = line.number(
            "port",
            defaults.port.toLong(),
            1L..65535L,
            "port must be a number in the range [1-65535].",
        ).toInt(),
        family = when {
            "ipv6" in line -> AddressFamily.IPV6
            "ipv4" in line -> AddressFamily.IPV4
            else -> AddressFamily.ANY
        },
        connectionTimeoutS = line.count("connection-timeout", 0, from = 0),
        reconnectInterval = line.count("reconnect-interval", 0),
        reconnectOnError = "reconnect-on-error" in line,
        maxReconnectAttempts = line.count("max-reconnect-attempts", 0, from = 0),
        reconnectBackoffFactor = line.positive("reconnect-backoff-factor", 0.0),
    )
}

private fun readLoad(line: CommandLine): Load {
    demand("test-time" !in line || "requests" !in line) { "--test-time and --requests are mutually exclusive." }
    val defaults = Load()
    val allKeys = line["requests"] == "allkeys"
    return Load(
        threads = line.count("threads", defaults.threads),
        clients = line.count("clients", defaults.clients),
        pipeline = line.count("pipeline", defaults.pipeline),
        requests = when {
            "test-time" in line || allKeys -> 0

            else -> line.number(
                "requests",
                defaults.requests,
                1L..Long.MAX_VALUE,
                "requests must be greater than zero.",
            )
        },
        testTimeS = line.number("test-time", 0, 1L..Int.MAX_VALUE, "test time must be greater than zero.").toInt(),
        allKeys = allKeys,
        runCount = line.number("run-count", 1, 1L..Int.MAX_VALUE, "run count must be greater than zero.").toInt(),
    )
}

private fun readMix(line: CommandLine): Mix {
    val defaults = Mix()
    val (sets, gets) = line.pair(
        "ratio",
        ':',
        defaults.sets.toLong() to defaults.gets.toLong(),
        "ratio must be expressed as [0-n]:[0-n].",
    )
    demand(sets + gets in 1..Int.MAX_VALUE) { "ratio must be expressed as [0-n]:[0-n], not both zero." }
    val multiKeyGet = line.count("multi-key-get", defaults.multiKeyGet)
    demand(multiKeyGet <= 1 || gets > 0) { "--multi-key-get needs a --ratio with gets." }
    return Mix(sets.toInt(), gets.toInt(), multiKeyGet)
}

private fun readPacing(line: CommandLine): Pacing {
    demand("arrivals" !in line || "think-time" !in line) {
        "--think-time is for closed loops, --arrivals for open ones."
    }
    demand("arrivals" !in line || "rate-limiting" !in line) {
        "--rate-limiting is for closed loops; --arrivals has --rate."
    }
    demand(("arrivals" in line) == ("rate" in line)) { "--arrivals and --rate must be given together." }
    demand(line["arrivals"] in listOf(null, "poisson")) { "arrivals must be poisson." }
    demand(line["start-at"] in listOf(null, "-")) { "start-at must be -: standard input tells the time." }
    return Pacing(
        openRatePerS = line["rate"]?.let { line.positive("rate", 0.0) },
        thinkTime = line.positive("think-time", 0.0).milliseconds,
        rateLimitPerS = line.positive("rate-limiting", 0.0, "rate must be greater than zero."),
        startIsTold = "start-at" in line,
    )
}

private fun readOutput(line: CommandLine): Output {
    val percentiles = line["print-percentiles"]?.split(',')?.map { it.toDoubleOrNull() }
    demand(percentiles == null || percentiles.all { it != null && it in 0.0..100.0 }) {
        "quantiles must be expressed as [0.0-100.0],[0.0-100.0](,...) ."
    }
    return Output(
        outFile = line["out-file"],
        jsonOutFile = line["json-out-file"],
        clientStats = line["client-stats"],
        hdrFilePrefix = line["hdr-file-prefix"],
        hideHistogram = "hide-histogram" in line,
        percentiles = percentiles?.filterNotNull() ?: Output().percentiles,
        printAllRuns = "print-all-runs" in line,
        showConfig = "show-config" in line,
        debug = "debug" in line,
        followed = readFollowed(line),
    )
}

private fun readFollowed(line: CommandLine): Followed? {
    demand(("follow" in line) == ("follow-file-prefix" in line)) {
        "--follow and --follow-file-prefix must be given together."
    }
    val follow = Follow.parse(line["follow"] ?: return null)
    demand(follow != null) { "follow must be expressed as 1/[1-n]." }
    return Followed(follow, line["follow-file-prefix"].orEmpty())
}

private fun checkTogether(options: Options) {
    val (load, pacing) = options.load to options.pacing
    demand(options.keys.setPattern != KeyPattern.PARALLEL || options.keys.count >= load.connections) {
        "a parallel key-pattern needs at least one key for each of the ${load.connections} connections."
    }
    demand(load.connections <= MOST_CONNECTIONS) {
        "threads times clients must not exceed $MOST_CONNECTIONS connections."
    }
    demand(!pacing.thinkTime.isPositive() || (load.pipeline == 1 && !pacing.isLimited)) {
        "--think-time cannot be combined with --pipeline or --rate-limiting."
    }
    checkQueues(options)
    demand(options.output.followed == null || load.runCount == 1) { "--follow cannot be combined with --run-count." }
    demand(options.output.followed == null || options.target.unixSocket == null) {
        "--follow needs TCP: it tells connections by their ports."
    }
}

private const val MOST_CONNECTIONS = 65_536
