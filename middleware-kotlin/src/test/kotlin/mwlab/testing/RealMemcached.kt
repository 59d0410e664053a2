package mwlab.testing

import org.junit.jupiter.api.Assumptions.assumeTrue
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.nio.file.Files
import java.nio.file.Path

/** The machine's own memcached on a free port of the loopback address; the test is skipped where there is none. */
class RealMemcached(memoryMiB: Int = 64) : AutoCloseable {
    val address = InetSocketAddress(InetAddress.getLoopbackAddress(), ServerSocket(0).use { it.localPort })
    private val process: Process

    init {
        assumeTrue(Files.isExecutable(PATH), "$PATH is not installed")
        val user = System.getProperty("user.name")
        val arguments = listOf("-l", "127.0.0.1", "-p", "${address.port}", "-u", user, "-t", "1", "-m", "$memoryMiB")
        process = ProcessBuilder(listOf("$PATH") + arguments)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
        eventually("memcached listens") { runCatching { Socket(address.address, address.port).close() }.isSuccess }
    }

    /** Ends it at once, as a crash does: what is under way is lost. */
    fun kill() {
        process.destroyForcibly()
        process.waitFor()
    }

    override fun close() {
        process.destroy()
        process.waitFor()
    }

    private companion object {
        val PATH: Path = Path.of("/usr/bin/memcached")
    }
}
