package mwlab.testing

import org.junit.jupiter.api.Tag
import java.lang.annotation.Inherited

/**
 * Marks tests that open sockets or start processes. All other tests are unit tests: they need nothing but this virtual machine and a
 * temporary directory, no test of theirs waits for real time to pass, and `-Pcheck` runs them alone.
 */
@Tag("sockets")
@Inherited
annotation class UsesSockets

/** Marks tests that start a program of others: memcached, PostgreSQL, Python. They open sockets, too. */
@Tag("sockets")
@Tag("integration")
@Inherited
annotation class UsesPrograms
