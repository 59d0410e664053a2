package mwlab.prove.differential

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread

/**
 * Streams of commands in all [lanes] at a time, until [commands] have been compared or a few differences were found.
 *
 * Stream number n has the seed [firstSeed] + n.
 */
internal class DifferentialRun(
    private val lanes: List<Lane>,
    private val firstSeed: Long,
    private val commands: Long,
    private val streamCommands: Int = 20 * Stream.BATCH,
) {
    private val nextStream = AtomicLong()
    private val compared = AtomicLong()

    /** What was found, each with the one command that does it where there is one. */
    val differences = ConcurrentLinkedQueue<String>()

    val count: Long get() = compared.get()

    private val streams = (commands + streamCommands - 1) / streamCommands

    /** Runs all of it; [progress] is told now and then how many commands were compared. */
    fun run(progress: (Long) -> Unit = {}) {
        val threads = lanes.map { lane -> thread(name = "$lane") { guarded(lane) } }
        var deadline = System.nanoTime()
        for (thread in threads) {
            while (thread.isAlive) {
                thread.join(JOIN_MS)
                if (System.nanoTime() < deadline) continue
                progress(count)
                deadline = System.nanoTime() + PROGRESS_NANOS
            }
        }
    }

    /** A lane that cannot go on is a failure of the whole, not one that nobody sees. */
    private fun guarded(lane: Lane) {
        try {
            Systems(lane).use { systems -> systems.connect().use { drive(lane, it) } }
        } catch (@Suppress("TooGenericExceptionCaught") failure: Exception) {
            differences += "lane $lane has failed: ${failure.stackTraceToString()}"
        }
    }

    private fun drive(lane: Lane, exchange: Exchange) {
        while (differences.size < MOST_DIFFERENCES) {
            val number = nextStream.getAndIncrement()
            if (number >= streams) return
            val seed = firstSeed + number
            val difference = Stream(lane, seed, streamCommands).run(exchange)
            if (difference != null) {
                differences += replayed(difference)
                // What it has left behind is not to be found again and again.
                return guarded(lane)
            }
            compared.addAndGet(streamCommands.toLong())
        }
    }

    /** The same stream again between new systems, at the end command by command. */
    private fun replayed(difference: Difference): String {
        val single = Systems(difference.lane).use { systems ->
            systems.connect().use {
                Stream(difference.lane, difference.seed, streamCommands).findCommand(it, difference.batch)
            }
        }
        if (single != null) return single.describe()
        val file = Files.createTempFile("difference-", ".batch")
        Files.write(file, difference.batchBytes())
        return "${difference.describe()}\n  alike when sent command by command; the batch is in $file"
    }

    private companion object {
        const val JOIN_MS = 100L
        const val PROGRESS_NANOS = 10_000_000_000L
        const val MOST_DIFFERENCES = 10
    }
}
