package mwlab.middleware.database

import mwlab.middleware.MiddlewareConfig
import mwlab.middleware.backend.BackEndKind
import mwlab.testing.ANY_PORT
import mwlab.testing.TextClient
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes

/** A middleware for message queues in [databases], which it prepares. */
fun queuesIn(
    vararg databases: DatabaseUrl,
    workers: Int = 4,
    locks: Locks = Locks.SKIP_LOCKED,
    timeout: Duration = 1.minutes,
    prepares: Boolean = true,
    synchronousCommit: Boolean = true,
    maxValueBytes: Int = 1 shl 20,
) = MiddlewareConfig(
    ANY_PORT,
    servers = emptyList(),
    backEnd = BackEndKind.POSTGRESQL,
    databases = databases.toList(),
    workers = workers,
    locks = locks,
    serverTimeout = timeout,
    prepareDatabase = prepares,
    synchronousCommit = synchronousCommit,
    maxValueBytes = maxValueBytes,
)

/** The value that `get` [key] finds; null: none. Anything else is an error. */
fun TextClient.take(key: String): String? {
    val lines = get(key)
    if (lines.isEmpty()) return null
    check(lines.size >= 2 && lines[0].startsWith("VALUE $key ")) { "$lines" }
    return lines.drop(1).joinToString("\n")
}
