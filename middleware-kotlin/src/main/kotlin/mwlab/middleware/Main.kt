package mwlab.middleware

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.runBlocking
import mwlab.middleware.backend.BackEndUnusable
import mwlab.middleware.reply.VERSION
import mwlab.net.numeric
import sun.misc.Signal
import java.io.IOException
import kotlin.system.exitProcess

private const val EXIT_FAILURE = 1
private const val EXIT_USAGE = 2
private const val EXIT_SIGNAL = 128

/** Set where it is started to archive the classes that a start needs (`bin/launch.sh`): it stops at once. */
private val isRehearsal = System.getProperty("mwlab.rehearsal") != null

/** Runs the middleware until SIGTERM or SIGINT: exit 0; 1 if it cannot work or has cut replies, 2 if the command line is wrong. */
fun main(arguments: Array<String>) {
    exitProcess(
        when (val command = Invocation.parse(arguments)) {
            is Invocation.Help -> 0.also { print(Invocation.HELP) }
            is Invocation.Version -> 0.also { println("middleware $VERSION") }
            is Invocation.Invalid -> EXIT_USAGE.also { complain("${command.message} (see --help)") }
            is Invocation.Run -> runBlocking { run(command.config) }
        },
    )
}

private suspend fun run(config: MiddlewareConfig): Int {
    val terminated = CompletableDeferred<Unit>()
    if (isRehearsal) terminated.complete(Unit)
    for (name in listOf("TERM", "INT")) {
        Signal.handle(Signal(name)) { signal ->
            // The second one is meant: whoever sends it does not want to wait for the drain.
            if (!terminated.complete(Unit)) Runtime.getRuntime().halt(EXIT_SIGNAL + signal.number)
        }
    }
    val middleware = try {
        Middleware(config)
    } catch (unwritable: IOException) {
        return EXIT_FAILURE.also { complain("cannot write to --stats-dir ${config.statsDirectory}: $unwritable") }
    }
    return try {
        serve(middleware, config, terminated)
    } catch (unusable: BackEndUnusable) {
        EXIT_FAILURE.also { complain(unusable.message) }
    } catch (unbound: IOException) {
        EXIT_FAILURE.also { complain("${unbound.message}; stop what uses it (ss -lntxp) or choose another") }
    }
}

/** Runs [middleware] until [terminated], complains about what went wrong, and returns the exit code. */
internal suspend fun serve(middleware: Middleware, config: MiddlewareConfig, terminated: Deferred<Unit>): Int {
    val ending = middleware.run(terminated) { println("listening on ${it.numeric}") }
    val (cut, late) = ending.unansweredRequests to ending.lateRequests
    if (cut > 0) complain("$cut requests were not answered within ${config.drainTimeout}, or not whole")
    if (late > 0) complain("$late requests came too late to be answered")
    ending.fault?.let { complain("stopped because of a fault: ${it.stackTraceToString()}") }
    listOfNotNull(middleware.followed?.complaint, middleware.slow?.complaint).forEach(::complain)
    val failure = middleware.reporter.failure ?: middleware.followed?.failure ?: middleware.slow?.failure
    failure?.let { complain("results in ${config.statsDirectory} are incomplete: $it") }
    return if (ending.fault != null || failure != null || !ending.isDrained) EXIT_FAILURE else 0
}

private fun complain(message: String) = System.err.println("middleware: $message")
