package mwlab.middleware.database

import mwlab.options.Choice

/**
 * How those who take messages at the same time keep out of each other's way.
 *
 * @property take the function that takes a message.
 */
enum class Locks(override val option: String, internal val take: QueueFunction) : Choice {
    SKIP_LOCKED("skip-locked", QueueFunction.TAKE),
    ROW_LOCKS("row-locks", QueueFunction.TAKE_ROW_LOCKS),
}
