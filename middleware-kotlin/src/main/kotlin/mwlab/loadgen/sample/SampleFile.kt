package mwlab.loadgen.sample

import mwlab.follow.RowFile
import java.io.IOException
import java.nio.file.Path

/**
 * The file of `--sample-file`, which all event loops write to: rows ordered by reply within each loop. Thread-safe.
 *
 * A run goes on if the file cannot be written; [close] tells. The owner closes it when the run is over.
 *
 * @property server what requests are sent to, for the rows
 */
internal class SampleFile(name: String, val server: String) : AutoCloseable {
    private val rows = RowFile(Path.of(name), COLUMNS, mostRows = Int.MAX_VALUE)

    /** Appends a row, given without its end. */
    fun append(row: CharSequence) = rows.append(row)

    /** @throws IOException if not all rows could be written */
    override fun close() {
        rows.close()
        rows.failure?.let { throw it }
    }

    private companion object {
        const val COLUMNS = "intended_us,sent_us,first_byte_us,last_byte_us,operation,key,server,outcome"
    }
}
