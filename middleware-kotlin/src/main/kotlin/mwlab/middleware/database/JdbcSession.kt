package mwlab.middleware.database

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine
import mwlab.net.EventLoop
import org.postgresql.PGConnection
import java.sql.Connection
import java.sql.PreparedStatement
import java.sql.SQLException
import java.sql.Types
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import kotlin.coroutines.resumeWithException

/** A session of pgjdbc, which blocks: it has a [thread] of its own, to which statements go and from which answers return to the [loop]. */
internal class JdbcSession private constructor(
    private val connection: Connection,
    private val thread: ExecutorService,
    private val loop: EventLoop,
) : DatabaseSession {
    /** Confined to the thread. */
    private val statements = HashMap<QueueFunction, PreparedStatement>()

    override fun execute(statement: Statement, onAnswer: (Answer) -> Unit) = onThread(onAnswer) { make(statement) }

    override fun probe(onAnswer: (Answer) -> Unit) = onThread(onAnswer) {
        connection.unwrap(PGConnection::class.java).getNotifications(SHORTEST_LOOK_MS)
        Answer.NoRow
    }

    override fun close() {
        // Closes the socket, which ends what the thread may be waiting for; an encrypted one may take its time.
        connection.abort(Dispatchers.IO.asExecutor())
        thread.shutdown()
    }

    private fun onThread(onAnswer: (Answer) -> Unit, ask: () -> Answer) = thread.execute {
        val answer = answerTo(ask)
        loop.execute { onAnswer(answer) }
    }

    @Suppress("TooGenericExceptionCaught") // the boundary of a thread: without it, nobody would hear of the statement
    private fun answerTo(ask: () -> Answer): Answer = try {
        ask()
    } catch (refused: SQLException) {
        val reason = JdbcConnector.reasonOf(refused)
        if (hasEnded(refused)) Answer.Lost(reason) else Answer.Refused(reason)
    } catch (failure: Throwable) {
        Answer.Lost("$failure")
    }

    /** The driver itself does not look at what comes while nothing is asked. */
    private fun hasEnded(refused: SQLException): Boolean =
        connection.isClosed || ENDS.any { refused.sqlState.orEmpty().startsWith(it) }

    private fun make(statement: Statement): Answer {
        val prepared = statements.getOrPut(statement.function) { connection.prepareStatement(statement.function.sql) }
        statement.arguments.forEachIndexed { index, value ->
            when (value) {
                null -> prepared.setNull(index + 1, Types.VARCHAR)
                is Long -> prepared.setLong(index + 1, value)
                is ByteArray -> prepared.setBytes(index + 1, value)
                else -> prepared.setString(index + 1, value as String)
            }
        }
        return prepared.executeQuery().use { rows ->
            if (rows.next()) Answer.Row(rows.getLong(1), rows.getBytes(2)) else Answer.NoRow
        }
    }

    companion object {
        private const val SHORTEST_LOOK_MS = 1

        /** Classes of errors with which a session ends: the connection failed, or an operator or a crash has ended it. */
        private val ENDS = listOf("08", "57P")

        /**
         * Opens a session of [connector] on [loop] once [isFit] says that its database is what it should be; what comes too late for who
         * has asked is closed.
         *
         * @throws DatabaseException if there is none to be had, or [isFit] throws it.
         */
        suspend fun open(loop: EventLoop, connector: JdbcConnector, isFit: (Connection) -> Unit): DatabaseSession =
            suspendCancellableCoroutine { asking ->
                val thread = Executors.newSingleThreadExecutor { Thread(it, "database").apply { isDaemon = true } }
                thread.execute {
                    runCatching { connector.connect().checked(isFit) }.onSuccess {
                        asking.resume(JdbcSession(it, thread, loop)) { _, session, _ -> session.close() }
                    }.onFailure {
                        thread.shutdown()
                        asking.resumeWithException(it)
                    }
                }
            }

        private fun Connection.checked(isFit: (Connection) -> Unit) = apply {
            try {
                isFit(this)
            } catch (unfit: DatabaseException) {
                close()
                throw unfit
            }
        }
    }
}
