package mwlab.loadgen.options

import mwlab.options.CommandLine
import mwlab.options.demand

internal fun CommandLine.number(name: String, default: Long, allowed: LongRange, message: String): Long {
    val text = this[name] ?: return default
    val value = text.toLongOrNull()
    demand(value != null && value in allowed) { message }
    return value
}

internal fun CommandLine.count(name: String, default: Int, from: Int = 1): Int {
    val rule = if (from == 0) "must be a valid number." else "must be greater than zero."
    return number(name, default.toLong(), from.toLong()..Int.MAX_VALUE, "$name $rule").toInt()
}

internal fun CommandLine.positive(
    name: String,
    default: Double,
    message: String = "$name must be greater than zero.",
): Double {
    val text = this[name] ?: return default
    val value = text.toDoubleOrNull()
    demand(value != null && value > 0 && value.isFinite()) { message }
    return value
}

internal fun CommandLine.pair(
    name: String,
    separator: Char,
    default: Pair<Long, Long>,
    message: String,
): Pair<Long, Long> {
    val text = this[name] ?: return default
    val numbers = text.split(separator).map { it.toLongOrNull() ?: -1 }
    demand(numbers.size == 2 && numbers.all { it >= 0 }) { message }
    return numbers[0] to numbers[1]
}
