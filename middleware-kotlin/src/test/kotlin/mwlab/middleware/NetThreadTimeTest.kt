package mwlab.middleware

import mwlab.loadgen.Generation
import mwlab.testing.ANY_PORT
import mwlab.testing.Running
import mwlab.testing.ThreadAccount
import mwlab.testing.UsesSockets
import mwlab.testing.middleware
import mwlab.testing.withServers
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.test.BeforeTest
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The utilization of threads that move bytes, held to the kernel's own account of them under load. */
@UsesSockets
class NetThreadTimeTest {
    @TempDir
    lateinit var directory: Path

    @BeforeTest
    fun `the kernel keeps an account of threads`() = assumeTrue(Files.exists(Path.of("/proc/self/schedstat")))

    @Test
    fun `a sequential middleware tells what its one thread has used`() = measure(Dispatch.SEQUENTIAL, netThreads = 1)

    @Test
    fun `a sequential middleware tells what its two threads have used`() = measure(Dispatch.SEQUENTIAL, netThreads = 2)

    @Test
    fun `a pipelined middleware tells what its one thread has used`() = measure(Dispatch.PIPELINED, netThreads = 1)

    @Test
    fun `a pipelined middleware tells what its two threads have used`() = measure(Dispatch.PIPELINED, netThreads = 2)

    private fun measure(dispatch: Dispatch, netThreads: Int) = withServers(1) { (server) ->
        val others = ThreadAccount.named("net-").map { it.id }
        val config = MiddlewareConfig(
            ANY_PORT,
            listOf(server.address),
            workers = 4,
            dispatch = dispatch,
            netThreads = netThreads,
            statsDirectory = directory,
        )
        val middleware = middleware(config)
        val running = Running(middleware)
        val threads = ThreadAccount.named("net-").filter { it.id !in others }
        assertEquals(netThreads, threads.size)
        val before = threads.map { it.cpuNanos()!! }
        val run = Generation.of(running.address.port, "-t 1 -c 8 -n 1500 --ratio=1:1 --key-maximum=100")
        val after = threads.map { it.cpuNanos()!! }
        running.stop()
        assertEquals(0, run.status, run.err)
        val reported = middleware.metrics.total.netThreadCpuNanos.values.toList()
        assertEquals(netThreads, reported.size)
        val load = after.zip(before) { end, start -> end - start }
        for ((own, kernel) in reported.sorted().zip(
            load.sorted(),
        )) {
            assertTrue(own >= kernel * 0.9, "$own of $kernel ns")
        }
        // Before and after the load the threads start and stop, which takes little.
        assertTrue(reported.sum() <= after.sum() * 1.1 + MOST_NANOS_TO_STOP, "$reported of $after ns")
        assertTrue("\"net_thread_time\":\"cpu\"" in directory.resolve("summary.json").readText())
    }

    private companion object {
        const val MOST_NANOS_TO_STOP = 200_000_000L
    }
}
