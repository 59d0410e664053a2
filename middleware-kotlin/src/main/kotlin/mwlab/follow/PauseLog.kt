package mwlab.follow

import mwlab.metrics.EpochClock
import java.io.IOException
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent.locks.LockSupport

/**
 * Writes down when this process stood still, from its making to [close]: when a thread that slept for a millisecond was woken up too
 * late (as jHiccup by G. Tene).
 *
 * The cause is `gc: <collector>` if garbage was collected meanwhile, which shows from a fifth of a millisecond on, and otherwise
 * `hiccup`, from two on: as a rule others had the processors. What the virtual machine itself tells of a collection comes late, and by
 * a clock of its own. A pause that began while the thread slept is told up to a millisecond too short.
 */
internal class PauseLog(path: Path, private val clock: EpochClock) : AutoCloseable {
    private val file = RowFile(path, "start_ns,length_ns,cause")
    private val collectors = ManagementFactory.getGarbageCollectorMXBeans()
    private val collections = LongArray(collectors.size) { collectors[it].collectionCount }

    @Volatile
    private var isClosed = false
    private val thread = Thread(::watch, "pauses").apply { isDaemon = true }

    /** As [RowFile.failure]. */
    val failure: IOException? get() = file.failure

    /** As [RowFile.complaint]. */
    val complaint: String? get() = file.complaint

    init {
        thread.start()
    }

    override fun close() {
        isClosed = true
        thread.join()
        file.close()
    }

    private fun watch() {
        var dueNanos = clock.nanos() + NAP_NANOS
        var isLast = false
        while (!isLast) {
            // What happened before the log was closed is still looked at.
            isLast = isClosed
            LockSupport.parkNanos(dueNanos - clock.nanos())
            val lateNanos = clock.nanos() - dueNanos
            if (lateNanos < 0) continue
            val collector = latestCollector()
            if (lateNanos > if (collector == null) HICCUP_NANOS else COLLECTION_NANOS) {
                val cause = collector?.let { "gc: $it" } ?: "hiccup"
                file.append("${clock.epochNanos(dueNanos)},$lateNanos,$cause")
            }
            dueNanos += lateNanos + NAP_NANOS
        }
    }

    /** Who has collected garbage since the last call; null: nobody. */
    private fun latestCollector(): String? {
        var name: String? = null
        for (index in collections.indices) {
            val count = collectors[index].collectionCount
            if (count != collections[index]) name = collectors[index].name
            collections[index] = count
        }
        return name
    }

    private companion object {
        const val NAP_NANOS = 1_000_000L
        const val HICCUP_NANOS = 2_000_000L
        const val COLLECTION_NANOS = 200_000L
    }
}
