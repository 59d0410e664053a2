package mwlab.testing

import org.junit.jupiter.api.Assumptions.assumeTrue
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.UnixDomainSocketAddress
import java.nio.channels.SocketChannel
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.deleteIfExists
import kotlin.io.path.readText

/**
 * The machine's own memcached on a port of the loopback address that memcached chooses itself, or on [unixSocket]; the test is skipped
 * where there is no memcached.
 */
class RealMemcached(memoryMiB: Int = 64, unixSocket: Path? = null) : AutoCloseable {
    private val process: Process

    /** Its port; of one on a Unix domain socket nobody asks for it. */
    val address: InetSocketAddress

    init {
        assumeTrue(Files.isExecutable(PATH), "$PATH is not installed")
        val user = System.getProperty("user.name")
        val place = if (unixSocket == null) listOf("-l", "127.0.0.1", "-p", "-1") else listOf("-s", "$unixSocket")
        val arguments = place + listOf("-u", user, "-t", "1", "-m", "$memoryMiB")
        val portFile = Files.createTempDirectory("memcached-").resolve("port")
        process = ProcessBuilder(listOf("$PATH") + arguments)
            .apply { environment()["MEMCACHED_PORT_FILENAME"] = "$portFile" }
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
        address = if (unixSocket == null) awaitAddress(portFile) else ANY_PORT
        if (unixSocket != null) eventually("memcached listens") { accepts(unixSocket) }
        portFile.deleteIfExists()
        portFile.parent.deleteIfExists()
    }

    /** Ends it at once, as a crash does: what is under way is lost. */
    fun kill() {
        process.destroyForcibly()
        process.waitFor()
    }

    /** Asked to end, it would take a second, and there is nothing to save. */
    override fun close() = kill()

    private companion object {
        val PATH: Path = Path.of("/usr/bin/memcached")

        /** The file is there before anybody listens. */
        fun accepts(unixSocket: Path): Boolean =
            runCatching { SocketChannel.open(UnixDomainSocketAddress.of(unixSocket)).close() }.isSuccess

        /** memcached writes another file and renames it, so that the port is there as a whole. */
        fun awaitAddress(portFile: Path): InetSocketAddress {
            eventually("memcached listens") { Files.exists(portFile) }
            return InetSocketAddress(InetAddress.getLoopbackAddress(), portOf(portFile.readText()))
        }

        /** Of the line `TCP INET: 37221`. */
        fun portOf(lines: String): Int =
            lines.lines().first { it.startsWith("TCP ") }.substringAfter(": ").trim().toInt()
    }
}
