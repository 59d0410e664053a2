package mwlab.loadgen

import mwlab.loadgen.measure.FollowedRequests
import mwlab.loadgen.options.AddressFamily
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Target
import mwlab.loadgen.options.readCommandLine
import mwlab.loadgen.options.readOptions
import mwlab.loadgen.options.usage
import mwlab.loadgen.report.ClientStatsFiles
import mwlab.loadgen.report.Extras
import mwlab.loadgen.report.HdrFiles
import mwlab.loadgen.report.JsonReport
import mwlab.loadgen.report.Progress
import mwlab.loadgen.report.TextReport
import mwlab.loadgen.report.configurationOf
import mwlab.loadgen.report.sectionsOf
import mwlab.loadgen.result.RunResult
import mwlab.loadgen.result.TestResult
import mwlab.loadgen.workload.baseSeedOf
import mwlab.loadgen.workload.requestsPerClient
import mwlab.net.numeric
import mwlab.options.OptionException
import java.io.BufferedReader
import java.io.File
import java.io.IOException
import java.io.PrintStream
import java.net.Inet4Address
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.net.UnixDomainSocketAddress
import java.net.UnknownHostException

/**
 * `memtier_benchmark`: reads the command line, runs the test, writes the reports.
 *
 * @param out for tables, as memtier's stdout
 * @param err for progress and messages, as memtier's stderr
 * @param input tells the start time where `--start-at=-` asks for it
 */
internal class LoadGenerator(
    private val out: PrintStream,
    private val err: PrintStream,
    private val interruption: Interruption,
    private val input: BufferedReader = System.`in`.bufferedReader(),
) {
    /** Returns the exit status: 0 success, 1 something could not be measured or written, 2 a bad command line. */
    fun run(arguments: List<String>): Int {
        try {
            val line = readCommandLine(arguments)
            if ("help" in line) return SUCCESS.also { out.print(usage()) }
            if ("version" in line) return SUCCESS.also { out.print(version()) }
            return test(readOptions(line))
        } catch (bad: OptionException) {
            err.println("error: ${bad.message}")
            err.println("Try 'memtier_benchmark --help'.")
            return BAD_OPTIONS
        } catch (unwritable: IOException) {
            err.println("error: ${unwritable.message}")
            return FAILURE
        }
    }

    private fun test(options: Options): Int {
        announce(options)
        val baseSeed = baseSeedOf(options)
        val result = TestResult()
        result.error = measureAll(options, baseSeed, result)
        write(options, result)
        result.error?.let { err.println("error: $it") }
        return if (result.error == null) SUCCESS else FAILURE
    }

    private fun announce(options: Options) {
        if (options.load.allKeys) out.println("setting requests to ${requestsPerClient(options)}")
        if (options.output.showConfig) {
            err.println("============== Configuration values: ==============")
            configurationOf(options).forEach { out.println("${it.name} = ${it.shown}") }
            err.println("===================================================")
        }
        options.output.jsonOutFile?.let { name ->
            File(name).writeText("")
            err.println("Json file $name created...")
        }
        options.output.outFile?.let { File(it).writeText("") }
        err.println(options.output.outFile?.let { "Writing results to $it..." } ?: "Writing results to stdout")
    }

    /** Adds to [result]; returns why not all runs succeeded, or null. */
    private fun measureAll(options: Options, baseSeed: Long, result: TestResult): String? {
        try {
            val address = resolve(options.target)
            val followed = options.output.followed?.let { FollowedRequests(it, address.numeric) }
            val signal = if (options.pacing.startIsTold) StartSignal(out, input, interruption) else null
            for (number in 1..options.load.runCount) {
                if (number > 1) Thread.sleep(PAUSE_BETWEEN_RUNS_MS)
                val progress = Progress(err, options, number)
                val run = Run(options, address, baseSeed, progress, interruption, followed, signal)
                    .execute()
                result.runs += run
                followed?.close()
                followed?.complaint?.let(err::println)
                tell(run, number, options)
                run.problem()?.let { return it }
                if (run.interrupted) break
            }
            return null
        } catch (failed: SetupException) {
            return failed.message
        } catch (unusable: IOException) {
            return unusable.message
        }
    }

    private fun tell(run: RunResult, number: Int, options: Options) {
        run.health.warnings().forEach(err::println)
        options.output.hdrFilePrefix?.let { HdrFiles(it, err::println).write(run, number) }
        options.output.clientStats?.let { ClientStatsFiles(it).write(run, number) }
    }

    private fun write(options: Options, result: TestResult) {
        val runs = result.runs
        val sections = if (runs.isEmpty()) emptyList() else sectionsOf(runs, options.output.printAllRuns)
        if (runs.isNotEmpty()) {
            val text = StringBuilder().also { TextReport(options, it).write(sections) }
            options.output.outFile?.let { File(it).writeText(text.toString()) } ?: out.print(text)
        }
        options.output.jsonOutFile?.let { name ->
            err.println("Saving JSON output file: $name")
            File(name).bufferedWriter().use { file ->
                JsonReport(options, file).write(sections) { Extras(options).write(it, result) }
            }
            err.println("Json file closed.")
        }
    }

    private fun resolve(target: Target): SocketAddress {
        target.unixSocket?.let { return UnixDomainSocketAddress.of(it) }
        val addresses = try {
            InetAddress.getAllByName(target.server)
        } catch (unknown: UnknownHostException) {
            throw SetupException("cannot resolve host name '${target.server}'.", unknown)
        }
        val address = addresses.find { address ->
            when (target.family) {
                AddressFamily.ANY -> true
                AddressFamily.IPV4 -> address is Inet4Address
                AddressFamily.IPV6 -> address !is Inet4Address
            }
        } ?: throw SetupException("'${target.server}' has no ${target.family.label} address.")
        return InetSocketAddress(address, target.port)
    }

    private fun version() = """
        |memtier_benchmark v=$EMULATED_VERSION generator=${Extras.GENERATOR} java=${System.getProperty("java.version")}
        |Middleware Lab's drop-in with the options and output formats of memtier_benchmark for memcache_text.
        |
    """.trimMargin()

    private companion object {
        const val SUCCESS = 0
        const val FAILURE = 1
        const val BAD_OPTIONS = 2
        const val EMULATED_VERSION = "2.3.1"
        const val PAUSE_BETWEEN_RUNS_MS = 1000L
    }
}
