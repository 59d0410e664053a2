package mwlab.middleware.backend

import mwlab.options.Choice

/** What stands behind the workers. */
enum class BackEndKind(override val option: String) : Choice {
    MEMCACHED("memcached"),
    POSTGRESQL("postgresql"),
    ECHO("echo"),
}
