package mwlab.metrics.results

import java.io.Writer
import java.nio.file.Files
import java.nio.file.Path
import java.util.Locale

/** A CSV file that is written line by line; [flush] makes the lines safe. Not thread-safe; who opened it closes it. */
internal class CsvFile(directory: Path, name: String, columns: List<String>) : AutoCloseable {
    private val writer: Writer = Files.newBufferedWriter(directory.resolve(name))

    init {
        row(columns)
    }

    /** Writes one row; a value that there is none of (null, NaN) is an empty cell. */
    fun row(cells: List<Any?>) {
        writer.append(cells.joinToString(",", postfix = "\n", transform = ::cell))
    }

    fun flush() = writer.flush()

    override fun close() = writer.close()

    private fun cell(value: Any?): String = when (value) {
        null -> ""
        is Double -> if (value.isNaN()) "" else String.format(Locale.ROOT, "%.6f", value)
        else -> value.toString()
    }
}
