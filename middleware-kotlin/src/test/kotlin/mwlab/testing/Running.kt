package mwlab.testing

import kotlinx.coroutines.runBlocking
import mwlab.middleware.Middleware
import mwlab.middleware.MiddlewareConfig
import mwlab.middleware.TransportKind
import java.net.InetAddress
import java.net.InetSocketAddress
import kotlin.test.assertEquals
import kotlin.test.fail

/** Any free port of the loopback address. */
val ANY_PORT = InetSocketAddress(InetAddress.getLoopbackAddress(), 0)

/** What the tests of the middleware run with: `-Dmwlab.transport=ktor`, by default the event loop. */
val TRANSPORT: TransportKind = System.getProperty("mwlab.transport", TransportKind.LOOP.option)
    .let { name -> TransportKind.entries.single { it.option == name } }

/** A middleware with the [TRANSPORT] of the tests. */
fun middleware(config: MiddlewareConfig) = Middleware(config, TRANSPORT.transport())

/** Runs [test] with [count] fake servers. */
fun withServers(count: Int, test: (List<FakeMemcached>) -> Unit) {
    val servers = List(count) { FakeMemcached() }
    try {
        test(servers)
    } finally {
        servers.forEach { it.close() }
    }
}

/** Runs [test] against a running middleware, which must end without a fault. */
fun withMiddleware(config: MiddlewareConfig, test: (InetSocketAddress) -> Unit) {
    val middleware = middleware(config)
    val address = runBlocking { middleware.start() }
    try {
        test(address)
    } finally {
        runBlocking { middleware.stop() }
        if (middleware.fault.isCompleted) fail("fault", runBlocking { middleware.fault.await() })
    }
    assertEquals(null, middleware.reporter.failure)
}

/** Waits until [condition] holds, for at most ten seconds. */
fun eventually(what: String, condition: () -> Boolean) {
    val deadline = System.nanoTime() + 10_000_000_000
    while (!condition()) {
        if (System.nanoTime() > deadline) fail("not within 10 s: $what")
        Thread.sleep(5)
    }
}
