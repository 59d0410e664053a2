package mwlab.loadgen.options

/**
 * Queues of messages, each used as often as the others.
 *
 * @property count they are named by the prefix of keys and a number, from 1 on
 * @property receivers whom messages are to: r1, r2, ..., each as often as the others; 0: to nobody
 */
data class Queues(val count: Int = 1, val receivers: Int = 0) {
    /** Of the keys that name one of these behind [prefix]. */
    fun longestKeyBytes(prefix: String): Int {
        val receiverBytes = if (receivers == 0) 0 else TO_RECEIVER.length + receivers.toString().length
        return prefix.toByteArray().size + count.toString().length + receiverBytes + PEEK.length
    }

    companion object {
        /** Stands in keys between the name of the queue and the number of a receiver. */
        const val TO_RECEIVER = "/to/r"

        /** Stands at the end of the key of a message that is to stay where it is. */
        const val PEEK = "/peek"

        /** In place of a queue: all that have messages. */
        const val ALL_WAITING = "*/waiting"
    }
}
