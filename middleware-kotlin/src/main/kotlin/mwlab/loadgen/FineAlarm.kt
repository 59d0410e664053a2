package mwlab.loadgen

import mwlab.net.Alarm
import mwlab.net.EventLoop
import mwlab.net.NanoClock
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import kotlin.io.path.readSymbolicLink

/** An event loop whose timers, if [fineTimers], fire within some tens of microseconds instead of 1 ms, paid for by a thread. */
internal fun loopNamed(name: String, fineTimers: Boolean, clock: NanoClock = NanoClock.SYSTEM): EventLoop {
    val alarmOf = { wakeUp: Runnable -> FineAlarm("$name-alarm", clock, wakeUp) }
    return EventLoop(name, clock = clock, alarmOf = alarmOf.takeIf { fineTimers })
}

/**
 * Never early, late by some tens of microseconds: a thread that sleeps until then, so that the event loop need not poll.
 *
 * @param ring what happens at the time, on the alarm's thread
 */
internal class FineAlarm(name: String, private val clock: NanoClock, private val ring: Runnable) : Alarm {
    private val dueNanos = AtomicLong(NEVER)

    /** What the thread sleeps for: it has to be woken up for an earlier time only. */
    @Volatile
    private var sleepsUntilNanos = NEVER

    @Volatile
    private var isClosed = false
    private val thread = Thread(::run, name).apply {
        isDaemon = true
        start()
    }

    override fun setTo(nanos: Long) {
        if (dueNanos.getAndSet(nanos) != nanos && nanos < sleepsUntilNanos) LockSupport.unpark(thread)
    }

    /** Ends the thread; does not wait. Idempotent. */
    override fun close() {
        isClosed = true
        LockSupport.unpark(thread)
    }

    private fun run() {
        wakeUpInTime()
        var rangNanos = clock.nanos()
        while (!isClosed) {
            val due = dueNanos.get()
            val now = clock.nanos()
            if (due > now) {
                sleepUntil(due, if (due == NEVER && now - rangNanos < NAP_NANOS) now + NAP_NANOS else due)
            } else if (dueNanos.compareAndSet(due, NEVER)) {
                ring.run()
                rangNanos = now
            }
        }
    }

    /** Sleeps at most until [nanos], unless another time than [due] has been set. */
    private fun sleepUntil(due: Long, nanos: Long) {
        sleepsUntilNanos = nanos
        if (dueNanos.get() == due) LockSupport.parkNanos(this, nanos - clock.nanos())
    }

    private companion object {
        const val NEVER = Long.MAX_VALUE

        /**
         * Who has been rung for soon sets the next time: whoever sleeps this long need not be woken up for it, which would
         * take a processor from those that are just then at work on a request.
         */
        const val NAP_NANOS = 200_000L

        /** The kernel wakes a thread up to 50 us late, to wake several at once, unless that thread asks for better. */
        fun wakeUpInTime() {
            try {
                val threadId = Path.of("/proc/thread-self").readSymbolicLink().fileName
                Files.writeString(Path.of("/proc/$threadId/timerslack_ns"), "1")
            } catch (_: IOException) {
                return // No Linux, or not allowed to.
            }
        }
    }
}
