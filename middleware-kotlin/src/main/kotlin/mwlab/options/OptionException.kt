package mwlab.options

import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.contract

/** A command line that cannot be run; [message] says why, in one line. */
class OptionException(message: String, cause: Throwable? = null) : IllegalArgumentException(message, cause)

/** Throws an [OptionException] with the message unless [holds]. */
@OptIn(ExperimentalContracts::class)
internal inline fun demand(holds: Boolean, message: () -> String) {
    contract { returns() implies holds }
    if (!holds) throw OptionException(message())
}
