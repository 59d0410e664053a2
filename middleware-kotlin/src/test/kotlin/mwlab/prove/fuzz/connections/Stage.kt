package mwlab.prove.fuzz.connections

import kotlinx.coroutines.runBlocking
import mwlab.middleware.Dispatch
import mwlab.middleware.Middleware
import mwlab.middleware.MiddlewareConfig
import mwlab.net.NanoClock
import mwlab.testing.ANY_PORT
import mwlab.testing.Running
import java.nio.channels.Selector
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds

/** What one scene has come to. */
internal class Outcome(val received: ByteArray, val isReset: Boolean, val asked: List<Asked>)

/**
 * A middleware that lives through any number of scenes, with all that is around it on one thread: its server, the client of the scene,
 * and another client, the victim, that has to get its own answer, or is told that the server has failed.
 *
 * Time passes as soon as nothing moves any more: nobody waits for what times out.
 */
internal class Stage(dispatch: Dispatch) {
    private val selector = Selector.open()
    private val server = ScriptedServer(selector, VICTIM)
    private val aheadNanos = AtomicLong()
    private val middleware = Middleware(
        MiddlewareConfig(
            ANY_PORT,
            listOf(server.address),
            workers = 2,
            dispatch = dispatch,
            maxValueBytes = ScriptedServer.MAX_VALUE_BYTES,
            clientTimeout = 1000.days,
            serverTimeout = SERVER_TIMEOUT,
            instrumentation = false,
        ),
        clock = { System.nanoTime() + aheadNanos.get() },
    )
    private val address = Running(middleware).address
    private val metrics = runBlocking { middleware.reporter.read { it } }
    private val victim = Visitor(address, selector)

    /** Plays [scene]; fails if anything hangs, fails inside of the middleware, or disturbs the victim. */
    fun play(scene: Scene): Outcome {
        server.begin(scene.answers)
        val client = Visitor(address, selector)
        client.send(scene.stream)
        victim.forget()
        victim.send(ASK)
        client.end()
        await("the middleware does not close") { client.isClosed }
        awaitVictim()
        // Each wrong answer may cost one more connection, and what it is waited for.
        val mostAttempts = MOST_ATTEMPTS + ATTEMPTS_PER_ANSWER * scene.answers.size
        repeat(mostAttempts) {
            if (victim.received.contentEquals(VALUE)) return Outcome(client.received, client.isReset, server.asked)
            victim.forget()
            letTimePass()
            for (turn in 1..MOST_MOVES) if (!move()) break
            victim.send(ASK)
            awaitVictim()
        }
        throw AssertionError("no value after $mostAttempts attempts, but ${text(victim.received)}")
    }

    private fun awaitVictim() {
        await("the victim gets no answer") { victim.isClosed || endsAnswer(victim.received) }
        check(!victim.isClosed) { "the victim was hung up on" }
        val answer = victim.received
        check(answer.contentEquals(VALUE) || text(answer).startsWith("SERVER_ERROR ")) {
            "a wrong answer: ${text(answer)}"
        }
    }

    private fun endsAnswer(answer: ByteArray): Boolean = answer.size >= VALUE.size ||
        (answer.isNotEmpty() && answer[0] == 'S'.code.toByte() && answer.last() == '\n'.code.toByte())

    private fun await(what: String, isDone: () -> Boolean) {
        val deadline = System.nanoTime() + BOUND_NANOS
        while (!isDone()) {
            check(System.nanoTime() < deadline) { "$what within $BOUND_NANOS ns" }
            if (!move()) letTimePass()
        }
        check(!middleware.fault.isCompleted) { "a fault: ${runBlocking { middleware.fault.await() }}" }
        check(metrics.gauges.failedConnections() == 0L) { "a connection has failed" }
    }

    /** Whether anything had to be done, after a moment at most. */
    private fun move(): Boolean {
        if (selector.select(QUIET_MS) == 0) return false
        selector.selectedKeys().forEach { if (it.isValid) (it.attachment() as Part).move() }
        selector.selectedKeys().clear()
        return true
    }

    /** Nobody misses a deadline for want of a processor: all have done what they could before, and see the time afterwards. */
    private fun letTimePass() {
        awaitTurns()
        aheadNanos.addAndGet(2 * SERVER_TIMEOUT.inWholeNanoseconds)
        awaitTurns()
    }

    /** Waits until each net thread has run what it had, and looked at its sockets. */
    private fun awaitTurns() = repeat(2) {
        val hasRun = CountDownLatch(middleware.netThreads.size)
        // Timers fire after the sockets were looked at.
        middleware.netThreads.forEach { thread -> thread.startTimer(thread.clock.nanos(), hasRun::countDown) }
        hasRun.await()
    }

    private companion object {
        const val VICTIM = "victim"
        val ASK = latin1("get $VICTIM\r\n")
        val VALUE = latin1("VALUE $VICTIM 0 1\r\n1\r\nEND\r\n")
        val SERVER_TIMEOUT = 200.milliseconds
        const val QUIET_MS = 1L
        const val MOST_ATTEMPTS = 100
        const val ATTEMPTS_PER_ANSWER = 20
        const val MOST_MOVES = 100
        const val BOUND_NANOS = 60_000_000_000L
    }
}

internal fun text(bytes: ByteArray) = String(bytes, Charsets.ISO_8859_1)
