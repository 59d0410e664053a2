package mwlab.loadgen

import kotlinx.coroutines.CompletableDeferred
import java.io.BufferedReader
import java.io.PrintStream
import kotlin.concurrent.thread

/**
 * Several instances start together when the last of them is ready: each says so, and all are told the same time.
 *
 * @param out where it is said, as a line of its own
 * @param input gives one line, the second since 1970 at which the clients start
 * @param interruption ends the waiting
 */
internal class StartSignal(
    private val out: PrintStream,
    private val input: BufferedReader,
    private val interruption: Interruption,
) {
    /**
     * Suspends until the time is told, and returns it.
     *
     * @throws SetupException if what comes is no time, or the wait is interrupted
     */
    suspend fun await(): Double {
        val told = CompletableDeferred<String?>()
        interruption.onRequest { told.complete(null) }
        thread(isDaemon = true) { told.complete(runCatching { input.readLine() }.getOrNull()) }
        out.println(READY)
        out.flush()
        val line = told.await()
        if (interruption.isRequested) throw SetupException("interrupted before the start.")
        val epochS = line?.trim()?.toDoubleOrNull()?.takeIf { it > 0 && it.isFinite() }
        return epochS ?: throw SetupException("--start-at=-: no second since 1970 was told, but '${line.orEmpty()}'.")
    }

    private companion object {
        const val READY = "ready"
    }
}
