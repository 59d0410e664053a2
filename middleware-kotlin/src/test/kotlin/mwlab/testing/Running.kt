package mwlab.testing

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import mwlab.middleware.Ending
import mwlab.middleware.Middleware
import mwlab.middleware.MiddlewareConfig
import mwlab.middleware.TransportKind
import mwlab.net.NanoClock
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import kotlin.test.assertEquals
import kotlin.test.fail
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes

/** Any free port of the loopback address. */
val ANY_PORT = InetSocketAddress(InetAddress.getLoopbackAddress(), 0)

/** What the tests of the middleware run with: `-Dmwlab.transport=ktor`, by default the event loop. */
val TRANSPORT: TransportKind = System.getProperty("mwlab.transport", TransportKind.LOOP.option)
    .let { name -> TransportKind.entries.single { it.option == name } }

/** A middleware with the [TRANSPORT] of the tests, which listens once it has tried to reach each server. */
fun middleware(config: MiddlewareConfig, clock: NanoClock = NanoClock.SYSTEM) =
    Middleware(config, TRANSPORT.transport(), clock, longestStart = 10.minutes)

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
fun withMiddleware(config: MiddlewareConfig, test: (InetSocketAddress) -> Unit) = runTest(middleware(config), test)

private fun runTest(middleware: Middleware, test: (InetSocketAddress) -> Unit) {
    val running = Running(middleware)
    try {
        test(running.address)
    } finally {
        running.stop().fault?.let { fail("fault", it) }
    }
    assertEquals(null, middleware.reporter.failure)
}

/** [middleware] on a thread of its own, from when it listens until [stop]; fails as [Middleware.run] if it does not come to listen. */
class Running(private val middleware: Middleware) {
    private val end = CompletableDeferred<Unit>()
    private val listening = CompletableDeferred<SocketAddress>()
    private val ending = CoroutineScope(Dispatchers.IO).async {
        runCatching {
            middleware.run(end, listening::complete)
        }.onFailure(listening::completeExceptionally).getOrThrow()
    }

    val listensOn: SocketAddress = runBlocking { listening.await() }
    val address: InetSocketAddress get() = listensOn as InetSocketAddress

    fun stop(): Ending = runBlocking {
        end.complete(Unit)
        ending.await()
    }
}

/** A running middleware whose clock the test moves on, so that nobody waits for what times out. */
class Clocked(private val middleware: Middleware, val address: InetSocketAddress, private val ahead: AtomicLong) {
    /** Moves the clock on by [duration] once the net threads have done what they had to do; what is due by then happens. */
    fun skip(duration: Duration) {
        awaitTurns()
        ahead.addAndGet(duration.inWholeNanoseconds)
        awaitTurns()
    }

    /** Moves the clock on by [step] again and again until [condition] holds. */
    fun skipUntil(step: Duration, what: String, condition: () -> Boolean) = eventually(what) {
        condition() || skip(step).let { false }
    }

    /**
     * Waits until each net thread has looked at its sockets and run what came of it, several times: ktor-network takes some turns of the
     * loop for what the loop itself does in one. A timer that is due fires after the sockets were looked at.
     */
    private fun awaitTurns() = repeat(TURNS) {
        val hasRun = CountDownLatch(middleware.netThreads.size)
        middleware.netThreads.forEach { thread -> thread.startTimer(thread.clock.nanos(), hasRun::countDown) }
        hasRun.await()
    }

    private companion object {
        const val TURNS = 8
    }
}

/**
 * As [withMiddleware], with a clock that [test] can move on.
 *
 * @param standsStill whether nothing else moves the clock; without that, real time does, too.
 */
fun withClocked(config: MiddlewareConfig, standsStill: Boolean = false, test: (Clocked) -> Unit) {
    val ahead = AtomicLong()
    val beganNanos = System.nanoTime()
    val middleware = middleware(config) { (if (standsStill) beganNanos else System.nanoTime()) + ahead.get() }
    runTest(middleware) { test(Clocked(middleware, it, ahead)) }
}

/** Waits until [condition] holds. The deadline only ends a test that hangs. */
fun eventually(what: String, condition: () -> Boolean) {
    val deadline = System.nanoTime() + 5.minutes.inWholeNanoseconds
    while (!condition()) {
        if (System.nanoTime() > deadline) fail("not within 5 minutes: $what")
        Thread.sleep(5)
    }
}
