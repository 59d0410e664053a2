package mwlab.loadgen.request

import mwlab.memcached.Response
import mwlab.memcached.Status

/** How a request that was answered went. */
internal enum class Outcome {
    STORED,
    HIT,
    MISS,

    /** Some of several keys were found. */
    PARTIAL,

    /** A reply that says so, or that belongs to no request of this kind. */
    ERROR,
    ;

    /** As it stands in rows of single requests. */
    val word: String = name.lowercase()

    companion object {
        /** What a reply to a request for [keys] keys says. */
        fun of(operation: Operation, keys: Int, response: Response): Outcome = when {
            operation.canMiss -> (response as? Response.Values)?.let { ofHits(it.hits, keys) }
            (response as? Response.Line)?.status == Status.STORED -> STORED
            else -> null
        } ?: ERROR

        private fun ofHits(hits: Int, keys: Int) = when (hits) {
            keys -> HIT
            0 -> MISS
            else -> PARTIAL
        }
    }
}
