package mwlab.loadgen.sample

import java.io.File
import java.io.IOException
import java.io.Writer

/**
 * The file of `--sample-file`, which all event loops write to: whole rows, ordered by reply within each loop. Thread-safe.
 *
 * A run goes on if the file cannot be written; [close] tells. The owner closes it when the run is over.
 *
 * @property server what requests are sent to, for the rows
 */
internal class SampleFile(private val name: String, val server: String) : AutoCloseable {
    private val writer: Writer = File(name).bufferedWriter()
    private var failure: IOException? = null

    init {
        append(HEADER)
    }

    @Synchronized
    fun append(rows: CharSequence) {
        if (failure != null) return
        try {
            writer.append(rows)
        } catch (unwritable: IOException) {
            failure = unwritable
        }
    }

    /** @throws IOException if not all rows could be written */
    @Synchronized
    override fun close() {
        try {
            writer.close()
            failure?.let { throw it }
        } catch (unwritable: IOException) {
            throw IOException("cannot write samples to $name: ${unwritable.message}", unwritable)
        }
    }

    private companion object {
        const val HEADER = "intended_us,sent_us,first_byte_us,last_byte_us,operation,key,server,outcome\n"
    }
}
