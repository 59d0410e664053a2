package mwlab.prove.differential

import kotlin.system.exitProcess

/**
 * `<commands> <first seed> [<lane>]`: compares the middleware with memcached, tells every difference, and ends with their number.
 *
 * To replay a difference, give its seed and its lane, and 1 for the commands.
 */
fun main(arguments: Array<String>) {
    val lanes = if (arguments.size > 2) listOf(Lane.valueOf(arguments[2])) else Lane.entries
    val run = DifferentialRun(lanes, firstSeed = arguments[1].toLong(), commands = arguments[0].toLong())
    run.run { println("$it commands compared") }
    run.differences.forEach { println("DIFFERENCE $it") }
    println("compared ${run.count} differences ${run.differences.size}")
    exitProcess(if (run.differences.isEmpty() && run.count > 0) 0 else 1)
}
