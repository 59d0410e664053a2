package mwlab.middleware

/** What the command line asks for. */
internal sealed interface CommandLine {
    class Run(val config: MiddlewareConfig) : CommandLine

    data object Help : CommandLine

    data object Version : CommandLine

    /** Something on it is wrong: [message] says what, in one line. */
    class Invalid(val message: String) : CommandLine

    companion object {
        val HELP = """
            |usage: java -jar middleware.jar [-l <ip>] -p <port> [-t <workers>] [-s <true|false>] -m <ip:port> [<ip:port> ...]
            |
            |  -l, --listen <ip>             address to listen on (default 127.0.0.1)
            |  -p, --port <port>             port to listen on; 0: any free one
            |  -t, --workers <n>             worker coroutines, each with its own connection to every server (default 64)
            |  -s, --sharded <true|false>    split multi-gets over the servers (default false)
            |  -m, --servers <ip:port> ...   the memcached servers
            |      --routing <mode>          round-robin (default), hash, consistent-hash
            |      --dispatch <mode>         sequential (default): a worker waits for its servers; pipelined: it does not
            |      --replicas <n|all>        copies of each key with consistent-hash (default 1)
            |      --ring <kind>             places on the ring: md5 (default), or those of libmemcached's ketama
            |      --net-threads <n>         threads that move bytes (default 1)
            |      --max-clients <n>         client connections at a time (default 10000)
            |      --queue-capacity <n>      jobs that may wait (default: as many as clients)
            |      --max-value-bytes <n>     largest value (default 1048576)
            |      --max-buffer-bytes <n>    memory of all large messages under way (default: half of the JVM's)
            |      --client-timeout <time>   longest stop of a client within a request or reply (default 60s)
            |      --server-timeout <time>   longest wait for a server, such as 500ms or 3s (default 3s)
            |      --failover <on|off>       a read that its server fails goes to another that holds the key (default off)
            |      --admin-commands <on|off>  pass on what steers memcached itself, such as cache_memlimit (default off)
            |      --instrumentation <on|off>  measure every request (default on); off shows what that costs
            |      --stats-dir <dir>         write results there (default: none are written)
            |      --histogram-bin <time>    width of the bins of bins.csv (default 100us)
            |      --admin <ip:port>         serve /metrics, /stats and /health over HTTP (default: do not)
            |      --version                 print the version
            |      --help                    print this
            |
        """.trimMargin()

        private val NAMES = mapOf(
            "-l" to "--listen",
            "-p" to "--port",
            "-t" to "--workers",
            "-s" to "--sharded",
            "-m" to "--servers",
            "-h" to "--help",
        )
        private val OPTIONS = HELP.lines().mapNotNull { Regex("--[a-z-]+").find(it)?.value }.toSet()

        /** Understands [arguments]; never throws. */
        fun parse(arguments: Array<String>): CommandLine = try {
            val options = split(arguments)
            when {
                "--help" in options -> Help
                "--version" in options -> Version
                else -> Run(OptionValues(options).config())
            }
        } catch (invalid: IllegalArgumentException) {
            Invalid(invalid.message.orEmpty())
        }

        /** The values behind each option; an option may be written `--name=value`. */
        private fun split(arguments: Array<String>): Map<String, List<String>> {
            val options = mutableMapOf<String, MutableList<String>>()
            var values: MutableList<String>? = null
            for (argument in arguments) {
                if (argument.startsWith("-")) {
                    val name = argument.substringBefore('=').let { NAMES[it] ?: it }
                    require(name in OPTIONS) { "unknown option $name" }
                    require(name !in options) { "option $name is given twice" }
                    values = mutableListOf()
                    options[name] = values
                    if ('=' in argument) values.addAll(argument.substringAfter('=').split(' '))
                } else {
                    requireNotNull(values) { "\"$argument\" belongs to no option" }.add(argument)
                }
            }
            return options
        }
    }
}
