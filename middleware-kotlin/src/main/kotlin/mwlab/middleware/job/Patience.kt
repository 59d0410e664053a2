package mwlab.middleware.job

import kotlin.time.Duration.Companion.milliseconds

/**
 * How long a call may take before it is given up.
 *
 * @property hasAlternative it can be made of another server then, so that there is no point in asking one that is silent.
 */
internal class Patience(val nanos: Long, val hasAlternative: Boolean) {
    override fun toString(): String = (nanos / NANOS_PER_MS).milliseconds.toString()

    companion object {
        /** As long as the connection itself has patience with its server. */
        val OF_THE_CONNECTION = Patience(Long.MAX_VALUE, hasAlternative = false)

        private const val NANOS_PER_MS = 1_000_000
    }
}
