package mwlab.middleware.database

/**
 * A function of the schema `message_queue`; [sql] calls it and gives one row of flags and body, or no row if there is nothing, or
 * nothing to be done.
 */
internal enum class QueueFunction(val sql: String) {
    SEND("SELECT 0::bigint, ''::bytea FROM message_queue.send(?, ?, ?, ?, ?)"),
    TAKE("SELECT flags, body FROM message_queue.take(?, ?, ?)"),
    TAKE_ROW_LOCKS("SELECT flags, body FROM message_queue.take_row_locks(?, ?, ?)"),
    PEEK("SELECT flags, body FROM message_queue.peek(?, ?, ?)"),
    WAITING(
        "SELECT 0::bigint, convert_to(string_agg(name, E'\\n'), 'UTF8') FROM message_queue.waiting(?) AS name " +
            "HAVING count(*) > 0",
    ),
    ADD("SELECT 0::bigint, ''::bytea WHERE message_queue.add(?)"),
    REMOVE("SELECT 0::bigint, ''::bytea WHERE message_queue.remove(?)"),
}

/** One call of a [function], with its [arguments]: texts, which may be null, a number, bytes. */
internal class Statement(val function: QueueFunction, vararg val arguments: Any?)

/** What came of a [Statement]. */
internal sealed interface Answer {
    /** The row. */
    class Row(val flags: Long, val body: ByteArray) : Answer

    data object NoRow : Answer

    /** The database has not done it, for [reason]. */
    class Refused(val reason: String) : Answer

    /** The session is over, for [reason]: nobody knows whether the database has done it. */
    class Lost(val reason: String) : Answer
}
