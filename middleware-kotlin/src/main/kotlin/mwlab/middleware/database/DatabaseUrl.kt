package mwlab.middleware.database

import java.net.URLDecoder

/**
 * Where a database is and who asks: `postgresql://user[:password]@host[:port]/name[?sslmode=mode]`. Tells no password.
 *
 * @property sslMode as libpq and pgjdbc name them.
 */
class DatabaseUrl private constructor(
    val host: String,
    val port: Int,
    val database: String,
    internal val user: String,
    internal val password: String?,
    internal val sslMode: String,
) {
    /** `<host>:<port>/<name>`, as replies and results name the database. */
    val name: String get() = "$host:$port/$database"

    override fun toString(): String = name

    companion object {
        const val FORM = "postgresql://user[:password]@host[:port]/name"
        private val URL = Regex(
            """postgres(?:ql)?://([^:/@]+)(?::([^@]*))?@(\[[^\]]+]|[^:/?\[\]]+)(?::(\d{1,5}))?/([^/?]+)(?:\?sslmode=([a-z-]+))?""",
        )

        // The groups of it.
        private const val USER = 1
        private const val PASSWORD = 2
        private const val HOST = 3
        private const val PORT = 4
        private const val DATABASE = 5
        private const val SSL_MODE = 6

        private const val USUAL_PORT = 5432
        private const val MAX_PORT = 65_535

        /** As libpq: encrypted if the database can, but it need not. */
        private const val USUAL_SSL_MODE = "prefer"
        private val SSL_MODES = setOf("disable", "allow", USUAL_SSL_MODE, "require", "verify-ca", "verify-full")

        /** What [text] says, or null if it is no such URL. Without a password in it, the one of $PGPASSWORD holds. */
        fun parse(text: String): DatabaseUrl? {
            val parts = URL.matchEntire(text)?.groupValues ?: return null
            return try {
                DatabaseUrl(
                    host = parts[HOST],
                    port = parts[PORT].ifEmpty { "$USUAL_PORT" }.toInt().takeIf { it in 1..MAX_PORT } ?: return null,
                    database = decoded(parts[DATABASE]),
                    user = decoded(parts[USER]),
                    password = decoded(parts[PASSWORD]).ifEmpty { System.getenv("PGPASSWORD") },
                    sslMode = parts[SSL_MODE].ifEmpty { USUAL_SSL_MODE }.takeIf { it in SSL_MODES } ?: return null,
                )
            } catch (_: IllegalArgumentException) {
                // A per cent sign that stands for no character.
                null
            }
        }

        private fun decoded(text: String): String = URLDecoder.decode(text.replace("+", "%2B"), Charsets.UTF_8)
    }
}
