package mwlab.follow

import java.io.IOException
import java.io.Writer
import java.nio.file.Path

/**
 * A CSV file that takes whole rows from any thread, but no more than [mostRows]: further ones are counted and dropped. Thread-safe.
 *
 * Who writes goes on if the file cannot be written; [close] tells. Rows stand in a buffer until it is full.
 */
internal class RowFile(private val path: Path, header: String, private val mostRows: Int = MOST_ROWS) : AutoCloseable {
    private val writer: Writer = path.toFile().bufferedWriter()
    private var rows = 0
    private var droppedRows = 0L
    private var failure: IOException? = null

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

    /** @throws IOException if not all rows could be written */
    @Synchronized
    override fun close() {
        try {
            writer.close()
            failure?.let { throw it }
        } catch (unwritable: IOException) {
            throw IOException("cannot write $path: ${unwritable.message}", unwritable)
        }
    }

    private fun write(line: CharSequence) {
        if (failure != null) return
        try {
            writer.append(line).append('\n')
        } catch (unwritable: IOException) {
            failure = unwritable
        }
    }

    companion object {
        /** Some 200 MB. */
        const val MOST_ROWS = 1_000_000
    }
}
