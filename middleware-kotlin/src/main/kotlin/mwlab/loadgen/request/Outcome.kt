package mwlab.loadgen.request

import mwlab.memcached.MetaCode
import mwlab.memcached.Response
import mwlab.memcached.Status

/** How a request went. */
internal enum class Outcome {
    STORED,
    NOT_STORED,
    HIT,
    MISS,

    /** Some of several keys were found. */
    PARTIAL,

    /** The value has changed since its `gets`. */
    EXISTS,

    /** A reply that says so, or that belongs to no request of this kind. */
    ERROR,

    /** The connection broke before the reply. */
    LOST,

    /** No reply came before the run was over. */
    UNANSWERED,
    ;

    /** As it stands in samples. */
    val word: String = name.lowercase()

    /** Whether there was a reply. */
    val isReply: Boolean get() = this != LOST && this != UNANSWERED

    companion object {
        private val ofKey = mapOf(Status.NOT_FOUND to MISS)
        private val ofStatus = mapOf(
            Operation.SET to mapOf(Status.STORED to STORED),
            Operation.SEND to mapOf(Status.STORED to STORED),
            Operation.ADD to mapOf(Status.STORED to STORED, Status.NOT_STORED to NOT_STORED),
            Operation.CAS to ofKey + mapOf(Status.STORED to HIT, Status.EXISTS to EXISTS),
            Operation.DELETE to ofKey + (Status.DELETED to HIT),
            Operation.TOUCH to ofKey + (Status.TOUCHED to HIT),
            Operation.INCR to ofKey + (Status.NUMBER to HIT),
            Operation.DECR to ofKey + (Status.NUMBER to HIT),
        )
        private val ofMetaGet = mapOf(MetaCode.VA to HIT, MetaCode.EN to MISS)

        /** What a reply to a request for [keys] keys says. */
        fun of(operation: Operation, keys: Int, response: Response): Outcome = when (operation) {
            Operation.GET, Operation.GETS, Operation.GAT, Operation.POP, Operation.PEEK, Operation.LIST ->
                (response as? Response.Values)?.let { ofHits(it.hits, keys) }

            Operation.META_GET -> ofMetaGet[(response as? Response.Meta)?.code]

            else -> ofStatus[operation]?.get((response as? Response.Line)?.status)
        } ?: ERROR

        private fun ofHits(hits: Int, keys: Int) = when (hits) {
            keys -> HIT
            0 -> MISS
            else -> PARTIAL
        }
    }
}
