package mwlab.middleware.database

import java.sql.Connection
import java.sql.SQLException

/** The tables and functions of message queues, as the files of `message-queue/` install them. Blocks. */
internal object Schema {
    /** Goes up with every change of the files; one that finds tables of before has to say what becomes of them. */
    private const val VERSION = 1
    private val FILES = listOf("schema", "functions", "functions-skip-locked", "functions-row-locks")

    /** Any number; who installs anything else under it waits, and no more. */
    private const val LOCK = 4_813_557_201_566L
    private const val REMEDY = "start the middleware once with --prepare-database"

    /** Whether they are there, as they should be. @throws DatabaseException if not; it says what to do */
    fun check(connection: Connection) = telling {
        when (val found = versionIn(connection)) {
            VERSION -> Unit
            null -> throw DatabaseException("has no message queues: $REMEDY")
            else -> throw DatabaseException("has message queues of version $found, this middleware is for $VERSION")
        }
    }

    /** Installs them if they are not there, all or nothing, whoever does it at the same time. @throws DatabaseException if it cannot */
    fun install(connection: Connection) = telling {
        connection.autoCommit = false
        connection.createStatement().use { statement ->
            statement.execute("SELECT pg_advisory_xact_lock($LOCK)")
            if (versionIn(connection) == null) {
                FILES.forEach { statement.execute(textOf(it)) }
                statement.execute("INSERT INTO message_queue.version VALUES ($VERSION)")
            }
        }
        connection.commit()
        check(connection)
    }

    private fun versionIn(connection: Connection): Int? = connection.createStatement().use { statement ->
        val isThere = statement.executeQuery("SELECT to_regclass('message_queue.version') IS NOT NULL").use {
            it.next() && it.getBoolean(1)
        }
        if (!isThere) return null
        statement.executeQuery("SELECT number FROM message_queue.version").use { if (it.next()) it.getInt(1) else null }
    }

    private fun textOf(file: String): String =
        checkNotNull(Schema::class.java.getResourceAsStream("/message-queue/$file.sql")) { "no $file.sql" }
            .use { it.readBytes().toString(Charsets.UTF_8) }

    private fun <T> telling(block: () -> T): T = try {
        block()
    } catch (refused: SQLException) {
        throw DatabaseException(JdbcConnector.reasonOf(refused), refused)
    }
}
