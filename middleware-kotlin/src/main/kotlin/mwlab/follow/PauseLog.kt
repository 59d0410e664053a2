package mwlab.follow

import com.sun.management.GarbageCollectionNotificationInfo
import mwlab.metrics.EpochClock
import java.io.IOException
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent.locks.LockSupport
import javax.management.Notification
import javax.management.NotificationEmitter
import javax.management.NotificationListener
import javax.management.openmbean.CompositeData

/**
 * Writes down when this process stood still, from its making to [close].
 *
 * - `gc: <cause>`: a collection of garbage, as the virtual machine tells it, to a millisecond; written by [close].
 * - `hiccup`: a thread that slept for a millisecond was woken up more than two too late, whatever the reason (as jHiccup by G. Tene):
 *   a collection, too, or processors that others had.
 */
internal class PauseLog(path: Path, private val clock: EpochClock) : AutoCloseable {
    private class Collected(val startMs: Long, val lengthMs: Long, val cause: String)

    private val file = RowFile(path, "start_ns,length_ns,cause")
    private val collections = mutableListOf<Collected>()

    /** When the machine's own count of milliseconds began, on the clock: collections are told late, never early. */
    private var machineStartNanos = Long.MAX_VALUE
    private val listener = NotificationListener { told, _ -> collected(told) }
    private val collectors = ManagementFactory.getGarbageCollectorMXBeans().filterIsInstance<NotificationEmitter>()

    @Volatile
    private var isClosed = false
    private val thread = Thread(::watch, "pauses").apply { isDaemon = true }

    /** As [RowFile.complaint]. */
    val complaint: String? get() = file.complaint

    init {
        collectors.forEach { it.addNotificationListener(listener, null, null) }
        thread.start()
    }

    /** @throws IOException if not all pauses could be written */
    override fun close() {
        isClosed = true
        thread.join()
        collectors.forEach { it.removeNotificationListener(listener) }
        appendCollections()
        file.close()
    }

    private fun watch() {
        var dueNanos = clock.nanos() + NAP_NANOS
        while (!isClosed) {
            LockSupport.parkNanos(dueNanos - clock.nanos())
            val lateNanos = clock.nanos() - dueNanos
            if (lateNanos < 0) continue
            if (lateNanos > HICCUP_NANOS) file.append("${clock.epochNanos(dueNanos)},$lateNanos,hiccup")
            dueNanos += lateNanos + NAP_NANOS
        }
    }

    @Synchronized
    private fun collected(told: Notification) {
        if (told.type != GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION) return
        val info = GarbageCollectionNotificationInfo.from(told.userData as CompositeData)
        machineStartNanos = minOf(machineStartNanos, clock.nanos() - info.gcInfo.endTime * NANOS_PER_MS)
        collections += Collected(info.gcInfo.startTime, info.gcInfo.duration, info.gcCause)
    }

    @Synchronized
    private fun appendCollections() = collections.forEach {
        val startNanos = clock.epochNanos(machineStartNanos + it.startMs * NANOS_PER_MS)
        file.append("$startNanos,${it.lengthMs * NANOS_PER_MS},gc: ${it.cause}")
    }

    private companion object {
        const val NANOS_PER_MS = 1_000_000L
        const val NAP_NANOS = NANOS_PER_MS
        const val HICCUP_NANOS = 2 * NANOS_PER_MS
    }
}
