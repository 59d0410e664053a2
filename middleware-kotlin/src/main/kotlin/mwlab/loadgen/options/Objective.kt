package mwlab.loadgen.options

import mwlab.options.demand

/**
 * What response times, counted from the intended send time, are to be below.
 *
 * @property percentile 0 to 100; null for the mean
 */
data class Objective(val percentile: Double?, val limitUs: Double, val text: String) {
    companion object {
        private val FORM = Regex("""\s*(p(50|90|95|99|99\.9)|mean)\s*<\s*([0-9]+\.?[0-9]*)\s*(us|ms|s)\s*""")
        private val US_PER_UNIT = mapOf("us" to 1.0, "ms" to 1e3, "s" to 1e6)

        /** @throws mwlab.options.OptionException if [text] is none */
        fun parse(text: String): Objective {
            val groups = FORM.matchEntire(text)?.groupValues
            val limitUs = groups?.let { it[3].toDouble() * US_PER_UNIT.getValue(it[4]) } ?: 0.0
            demand(groups != null && limitUs > 0) {
                "find-rate must be expressed as \"p50|p90|p95|p99|p99.9|mean < [time] us|ms|s\"."
            }
            return Objective(groups[2].toDoubleOrNull(), limitUs, "${groups[1]} < ${groups[3]} ${groups[4]}")
        }
    }
}
