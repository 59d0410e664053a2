package mwlab.middleware

import mwlab.follow.Follow
import mwlab.middleware.backend.BackEndKind
import mwlab.middleware.database.DatabaseUrl
import mwlab.middleware.database.Locks
import mwlab.middleware.routing.RingKind
import mwlab.middleware.routing.Routing
import mwlab.options.ConfigOptions
import mwlab.options.OptionKind
import mwlab.options.OptionKind.Companion.BYTES
import mwlab.options.OptionKind.Companion.NUMBER
import mwlab.options.OptionKind.Companion.SOCKET
import mwlab.options.OptionKind.Companion.SWITCH
import mwlab.options.OptionKind.Companion.TIME
import mwlab.options.OptionKind.Companion.choice
import mwlab.middleware.MiddlewareConfig as Config

/** How many servers hold a key, of so many. */
private val REPLICAS = OptionKind<(Int) -> Int>("a number or all") { text ->
    val number = text.toIntOrNull()?.takeIf { it > 0 }
    if (text == "all") ({ servers -> servers }) else number?.let { { _ -> it } }
}

/** Which requests are followed. */
private val SHARE = OptionKind("one of so many, as 1/1000", parse = Follow::parse)

/** Where a database is; what is wrong is not told, since a password may stand in it. */
private val DATABASE = OptionKind(DatabaseUrl.FORM, isSecret = true, parse = DatabaseUrl::parse)

/** The table of the middleware's options; the same one stands in README.md, told in more words. */
internal object MiddlewareOptions : ConfigOptions<Config>() {
    val listen =
        option(
            "listen",
            "<ip>",
            "address to listen on, or unix:<path> without a port",
            OptionKind.HOST,
            "127.0.0.1",
            Config::listen,
            short = 'l',
        )
    val port = optional("port", "<port>", "port to listen on; 0: any free one", NUMBER, short = 'p')
    val workers = option(
        "workers",
        "<n>",
        "workers, each with a connection of its own to every server",
        NUMBER,
        "64",
        Config::workers,
        short = 't',
    )
    val sharded = option(
        "sharded",
        "<true|false>",
        "split multi-gets over the servers",
        OptionKind.TRUE_OR_FALSE,
        "false",
        Config::sharded,
        short = 's',
    )
    val servers =
        list(
            "servers",
            "<ip:port> ...",
            "the memcached servers, or unix:<path>",
            OptionKind.ADDRESS,
            Config::servers,
            short = 'm',
        )
    val backEnd = option(
        "backend",
        "<kind>",
        "what is behind it: memcached; postgresql, for message queues; echo, which answers by itself",
        choice(BackEndKind.entries),
        "memcached",
        Config::backEnd,
    )
    val databases =
        list("database", "<url> ...", "the databases, as ${DatabaseUrl.FORM}", DATABASE, Config::databases)
    val prepareDatabase = flag("prepare-database", "install tables and functions of message queues, then serve")
    val locks = option(
        "locks",
        "<kind>",
        "who takes messages at a time: skip-locked, passes others by; row-locks, waits for them",
        choice(Locks.entries),
        "skip-locked",
        Config::locks,
    )
    val synchronousCommit = option(
        "synchronous-commit",
        "<on|off>",
        "off: a database may lose what it has just acknowledged if its machine fails",
        SWITCH,
        "on",
        Config::synchronousCommit,
    )
    val routing = option(
        "routing",
        "<mode>",
        "how servers are chosen: round-robin, hash, consistent-hash",
        choice(Routing.entries),
        "round-robin",
        Config::routing,
    )
    val dispatch = option(
        "dispatch",
        "<mode>",
        "sequential: a worker waits for its servers; pipelined: it does not",
        choice(Dispatch.entries),
        "sequential",
        Config::dispatch,
    )
    val transport = option(
        "transport",
        "<kind>",
        "what moves the bytes: loop, the event loop itself, or ktor",
        choice(TransportKind.entries),
        "loop",
        Config::transport,
    )
    val replicas =
        optional("replicas", "<n|all>", "copies of each key with consistent-hash", REPLICAS, "1", Config::replicas)
    val ring = option(
        "ring",
        "<kind>",
        "places on the ring: md5, or ketama: those of libmemcached",
        choice(RingKind.entries),
        "md5",
        Config::ring,
    )
    val netThreads = option("net-threads", "<n>", "threads that move bytes", NUMBER, "1", Config::netThreads)
    val maxClients =
        option("max-clients", "<n>", "client connections at a time", NUMBER, "10000", Config::maxClients)
    val depth = optional(
        "depth",
        "<n>",
        "requests of one client under way at a time",
        NUMBER,
        "64, with postgresql 1",
        Config::depth,
    )
    val queueCapacity = optional(
        "queue-capacity",
        "<n>",
        "jobs that may wait",
        NUMBER,
        "as many as clients may send",
        Config::queueCapacity,
    )
    val maxValueBytes =
        option("max-value-bytes", "<n>", "largest value", NUMBER, "1048576", Config::maxValueBytes)
    val maxBufferBytes = optional(
        "max-buffer-bytes",
        "<n>",
        "memory of all large messages under way",
        BYTES,
        "half of the JVM's maximum, at least 4 values",
        Config::maxBufferBytes,
    )
    val clientTimeout = option(
        "client-timeout",
        "<time>",
        "longest stop of a client within a request or reply",
        TIME,
        "60s",
        Config::clientTimeout,
    )
    val idleTimeout = optional(
        "idle-timeout",
        "<time>",
        "longest time for which a client may ask nothing",
        TIME,
        "none",
        Config::idleTimeout,
    )
    val serverTimeout =
        option("server-timeout", "<time>", "longest wait for a server, as 500ms", TIME, "3s", Config::serverTimeout)
    val failover = option(
        "failover",
        "<on|off>",
        "a read that its server fails goes to another that holds the key",
        SWITCH,
        "off",
        Config::failover,
    )
    val adminCommands = option(
        "admin-commands",
        "<on|off>",
        "pass on what steers memcached itself, as cache_memlimit",
        SWITCH,
        "off",
        Config::adminCommands,
    )
    val instrumentation = option(
        "instrumentation",
        "<on|off>",
        "measure every request; off shows what that costs",
        SWITCH,
        "on",
        Config::instrumentation,
    )
    val statsDirectory = optional("stats-dir", "<dir>", "write results there", OptionKind.DIRECTORY, "none")
    val follow = optional("follow", "<1/n>", "write down one of n requests with all its stamps", SHARE, "none")
    val slowLog = optional(
        "slow-log",
        "<time>",
        "keep requests that take longer, as 10ms, with all their stamps",
        TIME,
        "none",
        Config::slowLog,
    )
    val histogramBin =
        option("histogram-bin", "<time>", "width of the bins of bins.csv", TIME, "100us", Config::histogramBin)
    val admin =
        optional(
            "admin",
            "<ip:port>",
            "serve /metrics, /stats, /health, /slow over HTTP",
            SOCKET,
            "none",
            Config::admin,
        )
    val version = flag("version", "print the version")
    val help = flag("help", "print this", short = 'h')
}
