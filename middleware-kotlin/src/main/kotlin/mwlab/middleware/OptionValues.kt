package mwlab.middleware

import mwlab.middleware.routing.RingKind
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.UnknownHostException
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The values behind each option, by its long name, each checked as it is read.
 *
 * A value that is wrong is an [IllegalArgumentException] whose message names the option.
 */
internal class OptionValues(private val values: Map<String, List<String>>) {
    fun config(): MiddlewareConfig {
        require("--port" in values) { "a port is needed (-p <port>)" }
        val maxClients = number("--max-clients", default = 10_000)
        return MiddlewareConfig(
            listen = address("--listen", single("--listen") ?: "127.0.0.1", number("--port", default = 0)),
            servers = values["--servers"].orEmpty().map { address("--servers", it) },
            workers = number("--workers", default = 64),
            sharded = choice("--sharded", listOf(false, true), Boolean::toString),
            routing = choice("--routing", Routing.entries, Routing::option),
            dispatch = choice("--dispatch", Dispatch.entries, Dispatch::option),
            replicas = replicas(),
            ring = choice("--ring", RingKind.entries, RingKind::option),
            netThreads = number("--net-threads", default = 1),
            maxClients = maxClients,
            queueCapacity = number("--queue-capacity", default = maxClients),
            maxValueBytes = number("--max-value-bytes", default = 1 shl 20),
            maxBufferBytes = bytes("--max-buffer-bytes", default = MiddlewareConfig.defaultBufferBytes()),
            clientTimeout = time("--client-timeout", default = 60.seconds),
            serverTimeout = time("--server-timeout", default = 3.seconds),
            failover = switch("--failover", default = false),
            adminCommands = switch("--admin-commands", default = false),
            instrumentation = switch("--instrumentation", default = true),
            histogramBin = time("--histogram-bin", default = 100.microseconds),
            statsDirectory = single("--stats-dir")?.let { Path.of(it) },
            admin = single("--admin")?.let { address("--admin", it) },
        )
    }

    private fun single(name: String): String? {
        val given = values[name] ?: return null
        return requireNotNull(given.singleOrNull()) { "option $name takes one value, got ${given.size}" }
    }

    private fun number(name: String, default: Int): Int {
        val given = single(name) ?: return default
        val number = given.toIntOrNull()?.takeIf { it >= 0 }
        return requireNotNull(number) { "option $name takes a number, got \"$given\"" }
    }

    private fun bytes(name: String, default: Long): Long {
        val given = single(name) ?: return default
        val number = given.toLongOrNull()?.takeIf { it >= 0 }
        return requireNotNull(number) { "option $name takes a number, got \"$given\"" }
    }

    private fun time(name: String, default: Duration): Duration {
        val given = single(name) ?: return default
        return requireNotNull(Duration.parseOrNull(given)) { "option $name takes a time such as 500ms, got \"$given\"" }
    }

    /** `on` or `off`, `true` or `false`; the option alone is on. */
    private fun switch(name: String, default: Boolean): Boolean {
        if (values[name]?.isEmpty() == true) return true
        val given = single(name) ?: return default
        return requireNotNull(SWITCHES[given]) { "option $name takes on or off, got \"$given\"" }
    }

    /** The first of the [choices] is the default. */
    private fun <T> choice(name: String, choices: List<T>, text: (T) -> String): T {
        val given = single(name) ?: return choices.first()
        val known = choices.joinToString(" or ", transform = text)
        return requireNotNull(choices.find { text(it) == given }) { "option $name takes $known, got \"$given\"" }
    }

    private fun replicas(): Int? {
        val given = single("--replicas") ?: return null
        if (given == "all") return values["--servers"].orEmpty().size
        val number = given.toIntOrNull()?.takeIf { it > 0 }
        return requireNotNull(number) { "option --replicas takes a number or all, got \"$given\"" }
    }

    private fun address(name: String, text: String): InetSocketAddress {
        val port = text.substringAfterLast(':', "").toIntOrNull()
        require(port != null && port > 0) { "option $name takes <ip:port>, got \"$text\"" }
        return address(name, text.substringBeforeLast(':').removeSurrounding("[", "]"), port)
    }

    private fun address(name: String, host: String, port: Int): InetSocketAddress {
        require(port in 0..MAX_PORT) { "a port is 0 to $MAX_PORT, got $port" }
        return try {
            InetSocketAddress(InetAddress.getByName(host), port)
        } catch (unknown: UnknownHostException) {
            throw IllegalArgumentException("option $name: no address for host \"$host\"", unknown)
        }
    }

    private companion object {
        val SWITCHES = mapOf("on" to true, "true" to true, "off" to false, "false" to false)
        const val MAX_PORT = 65_535
    }
}
