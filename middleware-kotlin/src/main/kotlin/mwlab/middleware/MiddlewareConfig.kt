package mwlab.middleware

import mwlab.middleware.routing.RingKind
import java.net.InetSocketAddress
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Everything that a middleware can be told; checked here, so that nothing else has to.
 *
 * @property queueCapacity jobs that may wait; with at least [maxClients], as by default, none is ever refused, because each
 *   client has one request under way.
 * @property replicas servers that a key is written to with [Routing.CONSISTENT_HASH]; null: one.
 * @property ring where servers and keys stand with [Routing.CONSISTENT_HASH].
 * @property statsDirectory where the results go; null: nowhere.
 * @property maxBufferBytes what all large messages under way may take together.
 * @property clientTimeout how long a client may stop within a request or a reply before it is closed.
 * @property serverTimeout how long a server may take to answer before its connection is dropped.
 * @property failover whether a read that a server does not answer goes to the next one that holds the key.
 * @property adminCommands whether commands that steer memcached itself are passed on to the servers.
 * @property instrumentation whether requests are measured; off, to tell what that costs.
 * @property drainTimeout how long requests under way may take to finish at the end.
 */
class MiddlewareConfig(
    val listen: InetSocketAddress,
    val servers: List<InetSocketAddress>,
    val workers: Int = 64,
    val sharded: Boolean = false,
    val routing: Routing = Routing.ROUND_ROBIN,
    val dispatch: Dispatch = Dispatch.SEQUENTIAL,
    val replicas: Int? = null,
    val ring: RingKind = RingKind.MD5,
    val netThreads: Int = 1,
    val maxClients: Int = 10_000,
    val queueCapacity: Int = maxClients,
    val maxValueBytes: Int = 1 shl 20,
    val maxBufferBytes: Long = defaultBufferBytes(),
    val clientTimeout: Duration = 60.seconds,
    val serverTimeout: Duration = 3.seconds,
    val failover: Boolean = false,
    val adminCommands: Boolean = false,
    val drainTimeout: Duration = 5.seconds,
    val instrumentation: Boolean = true,
    val histogramBin: Duration = 100.microseconds,
    val statsDirectory: Path? = null,
    val admin: InetSocketAddress? = null,
) {
    init {
        require(servers.isNotEmpty()) { "at least one server is needed (-m <ip:port> ...)" }
        require(servers.distinct().size == servers.size) {
            "a server is named twice: ${servers.joinToString(" ") { it.text }}"
        }
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
        require(queueCapacity > 0) { "queue capacity must be positive, got $queueCapacity" }
        require(maxValueBytes in 1..MAX_VALUE_BYTES) {
            "max value bytes must be 1 to $MAX_VALUE_BYTES, got $maxValueBytes"
        }
        require(maxBufferBytes >= MIN_BUFFERED_VALUES * maxValueBytes.toLong()) {
            "max buffer bytes must be at least $MIN_BUFFERED_VALUES times max value bytes ($maxValueBytes), got $maxBufferBytes"
        }
        require(clientTimeout.isPositive()) { "client timeout must be positive, got $clientTimeout" }
        require(serverTimeout.isPositive()) { "server timeout must be positive, got $serverTimeout" }
        require(histogramBin >= 10.microseconds) { "histogram bin must be at least 10us, got $histogramBin" }
    }

    /** The option's value for the results. */
    fun describe(): Map<String, Any?> = mapOf(
        "listen" to listen.text,
        "servers" to servers.map { it.text },
        "workers" to workers,
        "sharded" to sharded,
        "routing" to routing.option,
        "dispatch" to dispatch.option,
        "replicas" to replicas,
        "ring" to ring.option,
        "net_threads" to netThreads,
        "max_clients" to maxClients,
        "queue_capacity" to queueCapacity,
        "max_value_bytes" to maxValueBytes,
        "max_buffer_bytes" to maxBufferBytes,
        "client_timeout_ms" to clientTimeout.inWholeMilliseconds,
        "server_timeout_ms" to serverTimeout.inWholeMilliseconds,
        "failover" to failover,
        "admin_commands" to adminCommands,
        "instrumentation" to instrumentation,
        "histogram_bin_ms" to histogramBin.inWholeNanoseconds / NANOS_PER_MS,
        "admin" to admin?.text,
    )

    companion object {
        /** Half of what the virtual machine may use, which is also what it may use outside of its heap. */
        fun defaultBufferBytes(): Long = Runtime.getRuntime().maxMemory() / 2

        /** A value passes in a buffer of up to twice its size, and grows into it from one of half that. */
        private const val MIN_BUFFERED_VALUES = 4
        private const val MAX_WORKERS = 10_000
        private const val MAX_VALUE_BYTES = 128 shl 20
        private const val NANOS_PER_MS = 1e6
    }
}

/** How the servers of a request are chosen. */
enum class Routing(val option: String) { ROUND_ROBIN("round-robin"), HASH("hash"), CONSISTENT_HASH("consistent-hash") }

/** Whether a worker waits for the servers' replies before it takes the next job. */
enum class Dispatch(val option: String) { SEQUENTIAL("sequential"), PIPELINED("pipelined") }

/** `<ip>:<port>`, as it was given. */
internal val InetSocketAddress.text: String
    get() = if (':' in hostString) "[$hostString]:$port" else "$hostString:$port"
