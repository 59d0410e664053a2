package mwlab.loadgen

import java.io.FileDescriptor
import java.io.FileOutputStream
import java.io.PrintStream
import kotlin.system.exitProcess

/** Entry point of `bin/memtier_benchmark`. */
fun main(arguments: Array<String>) {
    val out = PrintStream(FileOutputStream(FileDescriptor.out).buffered(), false)
    val status = LoadGenerator(out, System.err, Interruption.bySignal()).run(arguments.toList())
    out.flush()
    exitProcess(status)
}
