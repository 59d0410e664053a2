package mwlab.middleware.database

import java.io.IOException

/** One life of a connection to a database. Confined to the loop that it was opened on. */
internal interface DatabaseSession : AutoCloseable {
    /** Makes [statement], the only one under way; [onAnswer] hears of it once, on the loop. */
    fun execute(statement: Statement, onAnswer: (Answer) -> Unit)

    /** Looks whether the database has ended the session while nothing was asked; as [execute], with no row if it has not. */
    fun probe(onAnswer: (Answer) -> Unit)

    /** Ends it without waiting for anything. Idempotent. */
    override fun close()
}

/** A database cannot be used, for the reason that [message] tells in one line. */
internal class DatabaseException(override val message: String, cause: Throwable? = null) : IOException(message, cause)
