package mwlab.testing

import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readText

/** The kernel's own account of a thread of this process; without the code under test. */
class ThreadAccount private constructor(private val directory: Path) {
    val id: String get() = directory.fileName.toString()

    /** Time spent on a processor, in nanoseconds; null if the thread has ended. */
    fun cpuNanos(): Long? = read("schedstat")?.substringBefore(' ')?.toLong()

    /** How often it has gone to sleep; null if the thread has ended. */
    fun wakeUps(): Long? = read("status")?.lines()?.first {
        it.startsWith("voluntary_ctxt_switches")
    }?.substringAfter(':')?.trim()?.toLong()

    private fun read(name: String): String? = try {
        directory.resolve(name).readText()
    } catch (_: IOException) {
        null
    }

    companion object {
        /** The threads that live now and whose names begin with [prefix]. */
        fun named(prefix: String): List<ThreadAccount> = Path.of("/proc/self/task").listDirectoryEntries()
            .map(::ThreadAccount).filter { it.read("comm")?.startsWith(prefix) == true }
    }
}
