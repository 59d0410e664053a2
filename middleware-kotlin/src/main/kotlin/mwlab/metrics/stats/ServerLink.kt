package mwlab.metrics.stats

/** What has become of one connection to a server. Written by the connection's thread only, readable anywhere. */
class ServerLink(val server: String) {
    @Volatile
    var isUp = false
        private set

    /** How often it was connected; all but the first time it was lost before. */
    @Volatile
    var connects = 0L
        private set

    /** How often it was lost, or could not be connected. */
    @Volatile
    var failures = 0L
        private set

    /** Why it failed the last time; null if it never has. */
    @Volatile
    var lastFailure: String? = null
        private set

    fun connected() {
        connects++
        isUp = true
    }

    /** It is over, for [reason]; another attempt follows. */
    fun failed(reason: String) {
        isUp = false
        lastFailure = reason
        failures++
    }
}

/** All connections to one server together, in the moment of the look at [links]. */
class ServerHealth(val server: String, links: List<ServerLink>) {
    val connections: Int = links.size
    val up: Int = links.count { it.isUp }
    val failures: Long = links.sumOf { it.failures }

    /** Connections that came back. */
    val reconnects: Long = links.sumOf { maxOf(it.connects - 1, 0) }
    val lastFailure: String? = links.firstNotNullOfOrNull { it.lastFailure }

    /** `up`, `down`, or `partly-up`. */
    val state: String = when (up) {
        0 -> "down"
        connections -> "up"
        else -> "partly-up"
    }
}
