package mwlab.middleware

import mwlab.loadgen.Generation
import mwlab.testing.ANY_PORT
import mwlab.testing.FakeMemcached
import mwlab.testing.ThreadAccount
import mwlab.testing.withMiddleware
import mwlab.testing.withServers
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.concurrent.thread
import kotlin.io.path.readLines
import kotlin.io.path.readText
import kotlin.test.BeforeTest
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The utilization of threads that move bytes, held to the kernel's own account of them under load. */
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
        lateinit var seconds: LongRange
        lateinit var used: List<Long>
        withMiddleware(config) { address ->
            val threads = ThreadAccount.named("net-").filter { it.id !in others }
            assertEquals(netThreads, threads.size)
            val load = thread { Generation.of(address.port, "-t 1 -c 8 --test-time=4 --ratio=1:1 --key-maximum=100") }
            val first = sleepUntilNextSecond() + 1
            sleepUntilNextSecond()
            val before = threads.map { it.cpuNanos()!! }
            repeat(WHOLE_SECONDS) { sleepUntilNextSecond() }
            used = threads.map { it.cpuNanos()!! }.zip(before) { after, start -> after - start }
            seconds = first until first + WHOLE_SECONDS
            load.join()
        }
        val told = told(seconds)
        assertEquals(netThreads, told.size)
        told.sorted().zip(used.sorted()).forEach { (own, kernel) -> assertAgree(own, kernel / 1e9) }
        assertTrue("\"net_thread_time\":\"cpu\"" in directory.resolve("summary.json").readText())
    }

    /** What each thread has used in [seconds], by the results. */
    private fun told(seconds: LongRange): List<Double> = directory.resolve("utilization.csv").readLines().drop(1)
        .map { it.split(',') }
        .filter { (second, kind) -> kind == "net-thread" && second.toLong() in seconds }
        .groupBy({ it[2] }, { it[3].toDouble() }).values.map { it.sum() }

    @Test
    fun `the generator tells what its busiest thread has used`() = FakeMemcached().use { server ->
        val ended = AtomicBoolean()
        val used = mutableMapOf<String, Long>()
        val watching = thread {
            while (!ended.get()) {
                ThreadAccount.named("clients-").forEach { thread -> thread.cpuNanos()?.let { used[thread.id] = it } }
                Thread.sleep(5)
            }
        }
        // The threads of the second run do nothing but the run.
        val words = "-t 2 -c 4 --test-time=2 --run-count=2 --ratio=1:1 --key-maximum=100"
        val run = Generation.of(server.address.port, words)
        ended.set(true)
        watching.join()
        assertEquals(0, run.status, run.err)
        val second = used.entries.sortedBy { it.key.toLong() }.takeLast(2).maxOf { it.value }
        val utilization = run.json.substringAfterLast("\"Loop utilization\": ").substringBefore('\n').toDouble()
        assertAgree(2 * utilization, second / 1e9)
    }

    /** Returns the second that begins. */
    private fun sleepUntilNextSecond(): Long {
        val next = System.currentTimeMillis() / 1000 + 1
        do {
            Thread.sleep(maxOf(next * 1000 - System.currentTimeMillis(), 1))
        } while (System.currentTimeMillis() <
            next * 1000
        )
        return next
    }

    private fun assertAgree(told: Double, kernel: Double) {
        assertTrue(kernel > 0.05, "there was a load: $kernel s")
        assertTrue(told in 0.9 * kernel..1.1 * kernel, "$told s told, $kernel s by the kernel")
    }

    private companion object {
        const val WHOLE_SECONDS = 2
    }
}
