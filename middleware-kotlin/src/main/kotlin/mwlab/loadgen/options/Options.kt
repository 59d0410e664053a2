package mwlab.loadgen.options

import mwlab.follow.Follow
import mwlab.loadgen.request.Operation
import kotlin.time.Duration

/** Everything a run needs to know; [readOptions] makes it from memtier's command line and checks it. */
data class Options(
    val target: Target = Target(),
    val load: Load = Load(),
    val mix: Mix = Mix(),
    val keys: Keys = Keys(),
    val values: Values = Values(),
    val pacing: Pacing = Pacing(),
    val output: Output = Output(),
)

/** Where the requests go: to [port] of [server], or to [unixSocket], a path. */
data class Target(
    val server: String = "localhost",
    val port: Int = 6379,
    val unixSocket: String? = null,
    val family: AddressFamily = AddressFamily.ANY,
    val connectionTimeoutS: Int = 0,
    val reconnectInterval: Int = 0,
    val reconnectOnError: Boolean = false,
    val maxReconnectAttempts: Int = 0,
    val reconnectBackoffFactor: Double = 0.0,
)

/** Which addresses of a host name may be used; [label] is memtier's word for it in the JSON file. */
enum class AddressFamily(val label: String) { ANY("Unspecified"), IPV4("AF_INET"), IPV6("AF_INET6") }

/**
 * How many clients send for how long.
 *
 * @property clients connections per thread, memtier's `--clients`
 * @property requests per connection; 0 when [testTimeS] ends the run
 * @property testTimeS seconds; 0 when [requests] ends the run
 * @property allKeys `--requests allkeys`: each connection goes once through its share of the key range
 */
data class Load(
    val threads: Int = 4,
    val clients: Int = 50,
    val pipeline: Int = 1,
    val requests: Long = 10_000,
    val testTimeS: Int = 0,
    val allKeys: Boolean = false,
    val runCount: Int = 1,
) {
    val connections: Int get() = threads * clients
}

/**
 * What is sent.
 *
 * @property sets in each connection's cycle of sets and gets
 * @property gets likewise
 * @property multiKeyGet how many keys one get may carry; 0, memtier's default, is one
 * @property queues where messages are sent to and taken from, in place of the cycle
 * @property weights how often each operation on [queues] is sent, in random order
 */
data class Mix(
    val sets: Int = 1,
    val gets: Int = 10,
    val multiKeyGet: Int = 0,
    val queues: Queues? = null,
    val weights: Map<Operation, Int> = emptyMap(),
)

/** The key space and how connections walk through it. */
data class Keys(
    val prefix: String = "memtier-",
    val minimum: Long = 0,
    val maximum: Long = 10_000_000,
    val setPattern: KeyPattern = KeyPattern.RANDOM,
    val getPattern: KeyPattern = KeyPattern.RANDOM,
    val stddev: Double = 0.0,
    val median: Double = 0.0,
    val zipfExponent: Double = 0.0,
    val distinctClientSeed: Boolean = false,
    val randomize: Boolean = false,
) {
    val count: Long get() = maximum - minimum + 1

    /** Prefix and largest number. */
    val longestBytes: Int get() = prefix.toByteArray().size + maximum.toString().length
}

/** The letter of `--key-pattern` for one side, set or get. */
enum class KeyPattern(val letter: Char) { RANDOM('R'), SEQUENTIAL('S'), GAUSSIAN('G'), PARALLEL('P'), ZIPF('Z') }

/** What sets store. */
data class Values(
    val size: ValueSize = ValueSize.Fixed(DEFAULT_BYTES),
    val spreadOverKeys: Boolean = false,
    val randomData: Boolean = false,
    val expiryS: LongRange = 0L..0L,
) {
    private companion object {
        const val DEFAULT_BYTES = 32
    }
}

/** `--data-size`, `--data-size-range` or `--data-size-list`. */
sealed interface ValueSize {
    val largestBytes: Int

    /** Every value has the same size. */
    data class Fixed(val bytes: Int) : ValueSize {
        override val largestBytes get() = bytes
    }

    /** Sizes between the two, both included. */
    data class Range(val bytes: IntRange) : ValueSize {
        override val largestBytes get() = bytes.last
    }

    /** Sizes with weights. */
    data class Weighted(val weightOfBytes: List<Pair<Int, Int>>) : ValueSize {
        override val largestBytes get() = weightOfBytes.maxOf { it.first }
    }
}

/**
 * When requests are sent.
 *
 * @property openRatePerS open loop: requests of the whole process as a Poisson process, whatever the replies do; null: closed loop
 * @property thinkTime closed loop: pause of each client between a reply and its next request
 * @property rateLimitPerS closed loop: requests of each client; 0: as many as replies allow
 * @property startIsTold when clients start is told on standard input, once all are connected
 */
data class Pacing(
    val openRatePerS: Double? = null,
    val thinkTime: Duration = Duration.ZERO,
    val rateLimitPerS: Double = 0.0,
    val startIsTold: Boolean = false,
) {
    /** Whether each client has a rate of its own to send at. */
    val isLimited: Boolean get() = rateLimitPerS > 0

    /** Whether each request is due at some time, whatever the replies do. */
    val setsTimes: Boolean get() = isLimited || openRatePerS != null
}

/** What is written where. */
data class Output(
    val outFile: String? = null,
    val jsonOutFile: String? = null,
    val clientStats: String? = null,
    val hdrFilePrefix: String? = null,
    val hideHistogram: Boolean = false,
    val percentiles: List<Double> = listOf(50.0, 99.0, 99.9),
    val printAllRuns: Boolean = false,
    val showConfig: Boolean = false,
    val debug: Boolean = false,
    val followed: Followed? = null,
)

/** Requests that are followed, and pauses, are written to files whose names begin with [filePrefix]. */
data class Followed(val follow: Follow, val filePrefix: String)
