package mwlab.testing

import mwlab.middleware.database.DatabaseUrl
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.postgresql.Driver
import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.util.Properties
import java.util.concurrent.TimeUnit
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name

/**
 * A PostgreSQL of its own on a free port of the loopback address, with an empty data directory and the user `lab`; the test is skipped
 * where there is none. It does not run as root, which it would refuse.
 */
class RealPostgres(private val settings: Map<String, String> = emptyMap()) : AutoCloseable {
    private val directory = Files.createTempDirectory("postgres-")
    private var process: Process? = null

    val port = freePort()

    init {
        assumeTrue(PROGRAMS != null, "no PostgreSQL is installed")
        if (IS_ROOT) run("chown", USER, "$directory")
        val words = "-U lab --auth=trust --no-sync -E UTF8 --locale=C".split(' ').toTypedArray()
        run(*asUser("initdb", "-D", "$directory/data", *words))
        start()
    }

    /** Where the middleware finds the database [name], which is made if it is not there. */
    fun url(name: String): DatabaseUrl {
        if (query("SELECT 1 FROM pg_database WHERE datname = '$name'").isEmpty()) sql("CREATE DATABASE $name")
        return DatabaseUrl.parse("postgresql://lab@127.0.0.1:$port/$name")!!
    }

    val isRunning: Boolean get() = process?.isAlive == true

    fun start() {
        val words = settings.flatMap { (name, value) -> listOf("-c", "$name=$value") }
        process = ProcessBuilder(
            *asUser("postgres", "-D", "$directory/data", "-p", "$port", "-c", "listen_addresses=127.0.0.1"),
            // What was written survives the end of its processes, and the machine does not crash in a test.
            *arrayOf("-c", "unix_socket_directories=", "-c", "fsync=off"),
            *words.toTypedArray(),
        ).redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start()
        eventually("the database answers") {
            runCatching { connect("postgres").close() }.isSuccess
        }
    }

    /** Ends all of it at once, as a crash does. */
    fun kill() {
        val running = checkNotNull(process)
        val all = running.descendants().toList()
        running.destroyForcibly()
        all.forEach { it.destroyForcibly() }
        running.waitFor()
        all.forEach { it.onExit().get(5, TimeUnit.MINUTES) }
    }

    /** Stops the processes in their tracks, or lets them go on. */
    fun signal(name: String) {
        val running = checkNotNull(process)
        // The first one before its children: while it stands still it starts no others. Those that it has may come to their end.
        run("kill", "-$name", "${running.pid()}")
        for (child in running.descendants().toList()) {
            val failure = runCatching { run("kill", "-$name", "${child.pid()}") }.exceptionOrNull()
            if (failure != null && child.isAlive) throw failure
        }
    }

    /** Another client's connection to the database [name]. */
    fun connect(name: String): Connection =
        Driver().connect("jdbc:postgresql://127.0.0.1:$port/$name", Properties().apply { put("user", "lab") })!!

    fun sql(text: String, name: String = "postgres") = connect(name).use { it.createStatement().execute(text) }

    /** The first column of the rows that [text] gives. */
    fun query(text: String, name: String = "postgres"): List<String> = connect(name).use { connection ->
        val rows = connection.createStatement().executeQuery(text)
        generateSequence { if (rows.next()) rows.getString(1) else null }.toList()
    }

    override fun close() {
        process?.takeIf { it.isAlive }?.let {
            // Fast, and with nothing left in shared memory.
            run("kill", "-INT", "${it.pid()}")
            if (!it.waitFor(10, TimeUnit.SECONDS)) kill()
        }
        directory.toFile().deleteRecursively()
    }

    private fun asUser(program: String, vararg arguments: String): Array<String> {
        val own = arrayOf("$PROGRAMS/$program", *arguments)
        return if (IS_ROOT) arrayOf("setpriv", "--reuid=$USER", "--regid=$USER", "--clear-groups", *own) else own
    }

    private fun run(vararg command: String) {
        val told = ProcessBuilder(*command).directory(directory.toFile()).redirectErrorStream(true).start()
        val words = told.inputStream.bufferedReader().readText()
        check(told.waitFor() == 0) { "${command.joinToString(" ")}: $words" }
    }

    companion object {
        private const val USER = "postgres"
        private val IS_ROOT = System.getProperty("user.name") == "root"

        /** Where Debian has the newest one. */
        private val PROGRAMS: Path? = Path.of("/usr/lib/postgresql").takeIf(Files::isDirectory)?.listDirectoryEntries()
            ?.maxByOrNull {
                it.name.toIntOrNull() ?: 0
            }?.resolve("bin")?.takeIf { Files.isExecutable(it.resolve("initdb")) }
    }
}
