package mwlab.follow

import java.io.IOException
import java.io.Writer
import java.nio.file.Path

/**
 * A CSV file that takes whole rows from any thread, but no more than [mostRows]: further ones are counted and dropped. Thread-safe.
 *
 * If the file cannot be written, rows are dropped without an exception, and [failure] has the cause. Rows stand in a buffer until it is full.
 */
internal class RowFile(private val path: Path, header: String, private val mostRows: Int = MOST_ROWS) : AutoCloseable {
    private val writer: Writer = path.toFile().bufferedWriter()
    private var rows = 0
    private var droppedRows = 0L

    /** Why not all rows could be written; null if they were, as far as is known before [close]. */
    var failure: IOException? = null
        @Synchronized get
        private set

    /** That rows were dropped, in one line; null if none was. */
    val complaint: String?
        @Synchronized get() = "$path holds the first $mostRows rows; $droppedRows more were dropped"
            .takeIf { droppedRows > 0 }

    init {
        write(header)
    }

    /** Appends a row, given without its end. */
    @Synchronized
    fun append(row: CharSequence) {
        if (rows == mostRows) {
            droppedRows++
            return
        }
        rows++
        write(row)
    }

    @Synchronized
    override fun close() = attempt { writer.close() }

    private fun write(line: CharSequence) {
        if (failure == null) attempt { writer.append(line).append('\n') }
    }

    private inline fun attempt(step: () -> Unit) {
        try {
            step()
        } catch (unwritable: IOException) {
            failure = failure ?: IOException("cannot write $path: ${unwritable.message}", unwritable)
        }
    }

    companion object {
        /** Some 200 MB. */
        const val MOST_ROWS = 1_000_000
    }
}
