package mwlab.middleware

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/** Counts the connections that something unexpected has ended, and tells the first one of each kind. Thread-safe. */
internal class FailedConnections(private val tell: (String) -> Unit = System.err::println) {
    private val failures = AtomicLong()
    private val kinds = ConcurrentHashMap.newKeySet<String>()

    val count: Long get() = failures.get()

    fun add(cause: Throwable) {
        failures.incrementAndGet()
        val lines = cause.stackTraceToString().lines().take(MAX_LINES)
        val kind = "${cause::class.qualifiedName} ${cause.stackTrace.firstOrNull()}"
        val isNew = kinds.size < MAX_KINDS && kinds.add(kind)
        if (isNew) tell("middleware: closed a connection: ${lines.joinToString("\n")}")
    }

    private companion object {
        const val MAX_KINDS = 10
        const val MAX_LINES = 12
    }
}
