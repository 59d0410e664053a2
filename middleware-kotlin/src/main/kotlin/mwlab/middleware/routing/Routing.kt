package mwlab.middleware.routing

import mwlab.options.Choice

/** How the servers of a request are chosen. */
enum class Routing(override val option: String) : Choice {
    ROUND_ROBIN("round-robin"),
    HASH("hash"),
    CONSISTENT_HASH("consistent-hash"),
}
