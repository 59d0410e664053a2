package mwlab.middleware

import mwlab.follow.Follow
import mwlab.metrics.stats.StatsMemory
import mwlab.middleware.backend.BackEndKind
import mwlab.middleware.database.DatabaseUrl
import mwlab.middleware.database.Locks
import mwlab.middleware.routing.RingKind
import mwlab.middleware.routing.Routing
import mwlab.net.Transport
import mwlab.net.ktor.KtorTransport
import mwlab.net.loop.LoopTransport
import mwlab.net.text
import mwlab.options.Choice
import mwlab.options.CommandLine
import mwlab.options.OptionKind
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.UnixDomainSocketAddress
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Everything that a middleware can be told; checked here, so that nothing else has to.
 *
 * What is not said holds as [MiddlewareOptions] has it: as `given` on a command line, or by default.
 *
 * @property listen where clients come; who may connect to a Unix domain socket is what the umask and its folder allow.
 * @property servers the memcached servers; none with another [backEnd].
 * @property databases where message queues are with [BackEndKind.POSTGRESQL]; how they are taken from: [locks].
 * @property prepareDatabase whether their tables and functions are installed where they are not.
 * @property synchronousCommit whether a database acknowledges only what it has written down.
 * @property depth requests of one client that may be under way at a time; what it sends ahead of these waits.
 * @property queueCapacity jobs that may wait; with [maxClients] times [depth], as by default, none is ever refused.
 * @property transport what moves the bytes of clients and servers.
 * @property replicas servers that a key is written to with [Routing.CONSISTENT_HASH]; null: one.
 * @property ring where servers and keys stand with [Routing.CONSISTENT_HASH].
 * @property statsDirectory where the results go; null: nowhere.
 * @property maxBufferBytes what all large messages under way may take together.
 * @property clientTimeout how long a client may stop within a request or a reply before it is closed.
 * @property idleTimeout for how long a client may ask nothing before it is closed; null: for ever.
 * @property serverTimeout how long a server may take to answer before its connection is dropped.
 * @property failover whether a read that a server does not answer goes to the next one that holds the key.
 * @property adminCommands whether commands that steer memcached itself are passed on to the servers.
 * @property instrumentation whether requests are measured; off, to tell what that costs.
 * @property follow which requests are written down with all their stamps; null: none.
 * @property slowLog response time above which a request is kept in the slow log; null: none is.
 * @property drainTimeout how long requests under way may take to finish at the end.
 */
class MiddlewareConfig(
    val listen: SocketAddress,
    val servers: List<SocketAddress>,
    given: CommandLine = CommandLine(),
    val backEnd: BackEndKind = given[MiddlewareOptions.backEnd],
    val databases: List<DatabaseUrl> = given[MiddlewareOptions.databases],
    val prepareDatabase: Boolean = given[MiddlewareOptions.prepareDatabase],
    val locks: Locks = given[MiddlewareOptions.locks],
    val synchronousCommit: Boolean = given[MiddlewareOptions.synchronousCommit],
    val workers: Int = given[MiddlewareOptions.workers],
    val sharded: Boolean = given[MiddlewareOptions.sharded],
    val routing: Routing = given[MiddlewareOptions.routing],
    val dispatch: Dispatch = given[MiddlewareOptions.dispatch],
    val transport: TransportKind = given[MiddlewareOptions.transport],
    val replicas: Int? = given[MiddlewareOptions.replicas]?.invoke(servers.size),
    val ring: RingKind = given[MiddlewareOptions.ring],
    val netThreads: Int = given[MiddlewareOptions.netThreads],
    val maxClients: Int = given[MiddlewareOptions.maxClients],
    val depth: Int = given[MiddlewareOptions.depth] ?: if (backEnd == BackEndKind.POSTGRESQL) 1 else DEFAULT_DEPTH,
    val queueCapacity: Int = given[MiddlewareOptions.queueCapacity]
        ?: (maxClients.toLong() * depth).coerceAtMost(Int.MAX_VALUE.toLong()).toInt(),
    val maxValueBytes: Int = given[MiddlewareOptions.maxValueBytes],
    val maxBufferBytes: Long = given[MiddlewareOptions.maxBufferBytes] ?: defaultBufferBytes(maxValueBytes),
    val clientTimeout: Duration = given[MiddlewareOptions.clientTimeout],
    val idleTimeout: Duration? = given[MiddlewareOptions.idleTimeout],
    val serverTimeout: Duration = given[MiddlewareOptions.serverTimeout],
    val failover: Boolean = given[MiddlewareOptions.failover],
    val adminCommands: Boolean = given[MiddlewareOptions.adminCommands],
    val drainTimeout: Duration = 5.seconds,
    val instrumentation: Boolean = given[MiddlewareOptions.instrumentation],
    val histogramBin: Duration = given[MiddlewareOptions.histogramBin],
    val statsDirectory: Path? = given[MiddlewareOptions.statsDirectory],
    val follow: Follow? = given[MiddlewareOptions.follow],
    val slowLog: Duration? = given[MiddlewareOptions.slowLog],
    val admin: InetSocketAddress? = given[MiddlewareOptions.admin],
) {
    /** Bytes of the heap that distributions of times may take; without instrumentation there are none. */
    internal val statsBytes: Long

    init {
        when (backEnd) {
            BackEndKind.MEMCACHED -> requireServers()
            BackEndKind.POSTGRESQL -> requireDatabases()
            BackEndKind.ECHO -> Unit
        }
        if (backEnd != BackEndKind.MEMCACHED) requireNothingOfMemcached()
        if (backEnd != BackEndKind.POSTGRESQL) requireNothingOfDatabases()
        require(replicas == null || routing == Routing.CONSISTENT_HASH) { "replicas need --routing consistent-hash" }
        require(ring == RingKind.MD5 || routing == Routing.CONSISTENT_HASH) {
            "ring ${ring.option} needs --routing consistent-hash"
        }
        require(replicas == null || replicas in 1..servers.size) {
            "replicas must be 1 to the number of servers (${servers.size}), got $replicas"
        }
        require(workers in 1..MAX_WORKERS) { "workers must be 1 to $MAX_WORKERS, got $workers" }
        require(netThreads in 1..workers) {
            "net threads must be 1 to the number of workers ($workers), got $netThreads"
        }
        require(maxClients > 0) { "max clients must be positive, got $maxClients" }
        require(depth in 1..MAX_DEPTH) { "depth must be 1 to $MAX_DEPTH, got $depth" }
        require(queueCapacity > 0) { "queue capacity must be positive, got $queueCapacity" }
        require(maxValueBytes in 1..MAX_VALUE_BYTES) {
            "max value bytes must be 1 to $MAX_VALUE_BYTES, got $maxValueBytes"
        }
        require(maxBufferBytes >= MIN_BUFFERED_VALUES * maxValueBytes.toLong()) {
            "max buffer bytes must be at least $MIN_BUFFERED_VALUES times max value bytes ($maxValueBytes), got $maxBufferBytes"
        }
        require(clientTimeout.isPositive()) { "client timeout must be positive, got $clientTimeout" }
        require(idleTimeout == null || idleTimeout.isPositive()) { "idle timeout must be positive, got $idleTimeout" }
        require(serverTimeout.isPositive()) { "server timeout must be positive, got $serverTimeout" }
        require(follow == null || (statsDirectory != null && instrumentation)) {
            "follow needs --stats-dir, and instrumentation"
        }
        val unix = (servers + listen).find { it is UnixDomainSocketAddress }
        require(unix == null || transport == TransportKind.LOOP) { "${unix?.text} needs --transport loop" }
        require(follow == null || listen !is UnixDomainSocketAddress) {
            "follow needs clients that come by TCP: it tells them by their ports"
        }
        require(slowLog == null || instrumentation) { "slow log needs instrumentation" }
        require(slowLog == null || slowLog.isPositive()) { "slow log must be positive, got $slowLog" }
        require(histogramBin >= 10.microseconds) { "histogram bin must be at least 10us, got $histogramBin" }
        val backEnds = maxOf(servers.size, databases.size, 1)
        statsBytes = if (instrumentation) {
            StatsMemory.bytesForChunks(Runtime.getRuntime().maxMemory(), netThreads, backEnds, histogramBin)
        } else {
            0
        }
    }

    private fun requireServers() {
        require(servers.isNotEmpty()) { "at least one server is needed (-m <ip:port> ...)" }
        require(servers.distinct().size == servers.size) {
            "a server is named twice: ${servers.joinToString(" ") { it.text }}"
        }
    }

    private fun requireDatabases() {
        require(databases.isNotEmpty()) { "at least one database is needed (--database ${DatabaseUrl.FORM} ...)" }
        require(databases.distinctBy { it.name }.size == databases.size) {
            "a database is named twice: ${databases.joinToString(" ")}"
        }
        require(depth == 1) {
            "depth must be 1 with --backend postgresql, so that messages keep their order, got $depth"
        }
        require(dispatch == Dispatch.SEQUENTIAL) {
            "dispatch pipelined is for memcached: a worker has a connection to each database, with one request at a time"
        }
    }

    private fun requireNothingOfMemcached() {
        require(servers.isEmpty()) { "servers (-m) are for --backend memcached" }
        require(!sharded) { "sharded is for --backend memcached" }
        require(routing == Routing.ROUND_ROBIN) { "routing ${routing.option} is for --backend memcached" }
        require(!failover) { "failover is for --backend memcached" }
        require(!adminCommands) { "admin commands are for --backend memcached" }
    }

    private fun requireNothingOfDatabases() {
        require(databases.isEmpty()) { "databases are for --backend postgresql" }
        require(!prepareDatabase) { "prepare-database is for --backend postgresql" }
        require(locks == Locks.SKIP_LOCKED) { "locks ${locks.option} are for --backend postgresql" }
        require(synchronousCommit) { "synchronous-commit is for --backend postgresql" }
    }

    /** How many workers there are: pipelined, where they never wait, one for each net thread does it all. */
    val workersAtWork: Int get() = if (dispatch == Dispatch.PIPELINED) netThreads else workers

    /** The options' values for the results, by name. */
    fun describe(): Map<String, Any?> = buildMap {
        for (option in MiddlewareOptions.all) {
            val fact = option.fact ?: continue
            val name = option.name.replace('-', '_')
            when (val value = fact(this@MiddlewareConfig)) {
                is Duration -> put("${name}_ms", milliseconds(value))
                else -> put(name, told(value))
            }
        }
    }

    private fun milliseconds(time: Duration): Number {
        val whole = time.inWholeMilliseconds
        return if (whole.milliseconds == time) whole else time.inWholeNanoseconds / NANOS_PER_MS
    }

    private fun told(value: Any?): Any? = when (value) {
        is SocketAddress -> value.text
        is DatabaseUrl -> value.name
        is List<*> -> value.map(::told)
        is Choice -> value.option
        else -> value
    }

    internal companion object {
        /** What [line] asks for; throws an [IllegalArgumentException] that says what is wrong with it. */
        fun of(line: CommandLine): MiddlewareConfig = MiddlewareConfig(
            listen = listenOf(line[MiddlewareOptions.listen], line[MiddlewareOptions.port]),
            servers = line[MiddlewareOptions.servers],
            given = line,
        )

        private fun listenOf(address: SocketAddress, port: Int?): SocketAddress {
            if (address is InetSocketAddress) {
                requireNotNull(port) { "a port is needed (-p <port>)" }
                return OptionKind.socket(address.address, port)
            }
            require(port == null) { "${address.text} has no port: leave -p out" }
            return address
        }

        /**
         * Half of what the virtual machine may use outside of its heap, which is as much as within; more if values of
         * [maxValueBytes] need it and there is as much.
         */
        private fun defaultBufferBytes(maxValueBytes: Int): Long {
            val most = Runtime.getRuntime().maxMemory()
            return maxOf(most / 2, minOf(MIN_BUFFERED_VALUES * maxValueBytes.toLong(), most))
        }

        /** A value passes in a buffer of up to twice its size, and grows into it from one of half that. */
        private const val MIN_BUFFERED_VALUES = 4
        private const val MAX_WORKERS = 10_000
        private const val MAX_DEPTH = 1024
        private const val DEFAULT_DEPTH = 64
        private const val MAX_VALUE_BYTES = 128 shl 20
        private const val NANOS_PER_MS = 1e6
    }
}

/** Whether a worker waits for the servers' replies before it takes the next job. */
enum class Dispatch(override val option: String) : Choice { SEQUENTIAL("sequential"), PIPELINED("pipelined") }

/** What moves the bytes between the sockets and the middleware. */
enum class TransportKind(override val option: String) : Choice {
    LOOP("loop"),
    KTOR("ktor"),
    ;

    /** Only what is used is loaded: calls that have one target only are the faster ones. */
    internal fun transport(): Transport = when (this) {
        LOOP -> LoopTransport
        KTOR -> KtorTransport
    }
}
