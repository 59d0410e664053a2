package mwlab.testing

import mwlab.middleware.TransportKind
import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import kotlin.test.assertTrue

/**
 * The middleware as a process of its own, started with [arguments] and the [TRANSPORT] of the tests; killed when closed.
 *
 * @param javaOption one more for its JVM
 */
class Command(vararg arguments: String, javaOption: String? = null) : AutoCloseable {
    private val java = "${System.getProperty("java.home")}/bin/java"
    private val transport =
        if (TRANSPORT == TransportKind.LOOP) emptyList() else listOf("--transport", TRANSPORT.option)
    private val process = ProcessBuilder(
        listOf(java) + OPTIONS + coverageAgent() + listOfNotNull(javaOption) +
            listOf("-cp", System.getProperty("java.class.path"), "mwlab.middleware.MainKt") + arguments + transport,
    ).start()

    val pid: Long get() = process.pid()

    val output = process.inputStream.bufferedReader()
    val errors = process.errorStream.bufferedReader()

    /** The port, from the line that says that the middleware listens. */
    fun awaitPort(): Int = checkNotNull(output.readLine()) {
        errors.readText()
    }.removePrefix("listening on 127.0.0.1:").toInt()

    /** Sends SIGTERM; unlike `Process.destroy`, leaves the streams open. */
    fun terminate() = process.toHandle().destroy()

    fun awaitExit(): Int {
        assertTrue(process.waitFor(10, TimeUnit.MINUTES), "still running")
        return process.exitValue()
    }

    override fun close() {
        process.destroyForcibly()
    }

    private companion object {
        /** As in bin/middleware. */
        val OPTIONS = listOf("-XX:+UseSerialGC", "-Xms256m", "-Xmx1g")

        /** The agent that these tests run with, if their coverage is measured, counts in the process, too. */
        fun coverageAgent(): List<String> = ManagementFactory.getRuntimeMXBean().inputArguments.filter {
            it.startsWith("-javaagent:") && "jacoco" in it
        }
    }
}
