package mwlab.loadgen

import mwlab.loadgen.measure.FollowedRequests
import mwlab.loadgen.options.readCommandLine
import mwlab.loadgen.options.readOptions
import mwlab.loadgen.report.Extras
import mwlab.loadgen.report.JsonReport
import mwlab.loadgen.report.Progress
import mwlab.loadgen.report.sectionsOf
import mwlab.loadgen.result.RunResult
import mwlab.loadgen.result.TestResult
import mwlab.net.EventLoop
import mwlab.net.numeric
import mwlab.testing.MemoryConnection
import mwlab.testing.MemoryTransport
import mwlab.testing.VirtualLoop
import mwlab.testing.VirtualMemcached
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.net.InetAddress
import java.net.InetSocketAddress
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * One run of the generator in virtual time and without sockets: no pause of the machine can change what it measures.
 *
 * All threads of the generator share one loop.
 *
 * @param serviceTime what the server needs for each request of a connection
 * @param timersAreLateBy as of [VirtualLoop]
 * @param connect makes connections to another server
 * @param baseSeed what all random choices come from
 */
internal class VirtualGeneration(
    words: String,
    private val serviceTime: (secondsSinceStart: Double) -> Duration = { 0.1.milliseconds },
    private val timersAreLateBy: Duration = Duration.ZERO,
    private val connect: ((EventLoop) -> MemoryConnection)? = null,
    private val baseSeed: Long = 1,
) {
    private val options = readOptions(readCommandLine("-s 127.0.0.1 -P memcache_text $words".split(' ')))
    private val address = InetSocketAddress(InetAddress.getLoopbackAddress(), options.target.port)

    private val err = ByteArrayOutputStream()

    /** What was measured and reported; `out` is empty. */
    fun run(): Generation {
        val result = measure()
        result.health.warnings().forEach { err.writeBytes("$it\n".toByteArray()) }
        val status = if (result.problem() == null) 0 else 1
        return Generation(status, out = "", "$err${result.problem().orEmpty()}", json(result))
    }

    /** What was measured. */
    fun measure(): RunResult = VirtualLoop(timersAreLateBy = timersAreLateBy).use { virtual ->
        val server = VirtualMemcached({ serviceTime(virtual.elapsedNanos / NANOS_PER_S) })
        val followed = options.output.followed?.let { FollowedRequests(it, address.numeric) }
        val run = Run(
            options,
            address,
            baseSeed,
            Progress(PrintStream(err, true), options, runNumber = 1, virtual.loop.clock),
            Interruption(),
            followed,
            transport = MemoryTransport(mapOf(address to (connect ?: server::connectOn))),
            rehearses = false,
        )
        lateinit var result: RunResult
        virtual.run { result = run.measureOn(List(options.load.threads) { virtual.loop }) }
        followed?.close()
        result
    }

    private fun json(result: RunResult): String {
        val all = TestResult().apply { runs += result }
        val text = StringBuilder()
        JsonReport(options, text).write(sectionsOf(all.runs, printAllRuns = false)) {
            Extras(options).write(it, all)
        }
        return "$text"
    }

    private companion object {
        const val NANOS_PER_S = 1e9
    }
}
