package mwlab.middleware.database

import org.postgresql.Driver
import org.postgresql.PGProperty
import org.postgresql.util.PSQLException
import java.net.URLEncoder
import java.sql.Connection
import java.sql.SQLException
import java.util.Properties
import kotlin.time.Duration
import kotlin.time.DurationUnit

/**
 * Connects to the database at [url] with pgjdbc. Thread-safe.
 *
 * @param timeout how long anything may take. The database gives a statement up a little earlier by itself, and it is known then that it
 *   was not done.
 * @param synchronousCommit whether the database has written down what it says it has done.
 */
internal class JdbcConnector(
    private val url: DatabaseUrl,
    private val timeout: Duration,
    private val synchronousCommit: Boolean,
) {
    /** Blocks. @throws DatabaseException if there is no connection to be had in time */
    fun connect(): Connection = try {
        Driver().connect("jdbc:postgresql://${url.host}:${url.port}/${encoded(url.database)}", properties())
            ?: throw DatabaseException("is not known to the driver")
    } catch (failed: SQLException) {
        throw DatabaseException(reasonOf(failed), failed)
    }

    private fun properties() = Properties().apply {
        val seconds = timeout.toDouble(DurationUnit.SECONDS).let { kotlin.math.ceil(it).toInt() }
        PGProperty.USER.set(this, url.user)
        url.password?.let { PGProperty.PASSWORD.set(this, it) }
        PGProperty.SSL_MODE.set(this, url.sslMode)
        PGProperty.APPLICATION_NAME.set(this, "middleware")
        PGProperty.CONNECT_TIMEOUT.set(this, seconds)
        PGProperty.LOGIN_TIMEOUT.set(this, seconds)
        PGProperty.TCP_KEEP_ALIVE.set(this, true)
        // Statements are prepared when they are made for the first time: there are few, and they are made for ever.
        PGProperty.PREPARE_THRESHOLD.set(this, 1)
        PGProperty.OPTIONS.set(this, options())
    }

    private fun options(): String {
        val statementTimeout = (timeout * SHARE_OF_DATABASE).inWholeMilliseconds.coerceAtLeast(1)
        return "-c statement_timeout=$statementTimeout -c synchronous_commit=${if (synchronousCommit) "on" else "off"}"
    }

    private fun encoded(text: String) = URLEncoder.encode(text, Charsets.UTF_8).replace("+", "%20")

    companion object {
        private const val SHARE_OF_DATABASE = 0.9
        private const val MOST_CHARACTERS = 200

        /** What went wrong, in one short line: the database's words if it has said any. */
        fun reasonOf(failed: SQLException): String {
            val ofDatabase = (failed as? PSQLException)?.serverErrorMessage?.message
            val words = ofDatabase ?: failed.cause?.message ?: failed.message ?: "$failed"
            val line = words.lineSequence().first().take(MOST_CHARACTERS)
            return line.map { if (it in ' '..'~') it else '?' }.joinToString("")
        }
    }
}
