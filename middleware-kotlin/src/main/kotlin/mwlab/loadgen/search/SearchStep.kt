package mwlab.loadgen.search

import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Objective
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunResult

/**
 * One rate that was tried.
 *
 * @property interval of what the objective is about
 * @property reason why it failed; null: it passed
 */
internal class SearchStep(
    val ratePerS: Double,
    val throughputPerS: Double,
    val interval: Interval?,
    val isGeneratorLimited: Boolean,
    val reason: String?,
) {
    val passed: Boolean get() = reason == null

    /** Why it passed or failed. */
    val verdict: String get() =
        (reason ?: "passes") + if (isGeneratorLimited) " (the generator may have been the limit)" else ""

    /** A line of the table under [TITLES]. */
    fun line(number: Int): String {
        val times = interval?.let { listOf(it.estimateUs, it.lowUs, it.highUs).map { us -> (us / US_PER_MS).shown() } }
        val cells = listOf("$number", ratePerS.fixed(1), throughputPerS.fixed(1)) + (times ?: List(3) { "---" })
        return cells.joinToString(" ") { it.padStart(WIDTH) } + "  $verdict"
    }

    companion object {
        private const val WIDTH = 12
        private const val US_PER_MS = 1000.0
        val TITLES: String = listOf("step", "asked/s", "answered/s", "ms", "95% from", "95% to")
            .joinToString(" ") { it.padStart(WIDTH) }

        /** Judges a run at [ratePerS]. */
        fun of(ratePerS: Double, run: RunResult, objective: Objective): SearchStep {
            val interval = intervalOf(run, objective)
            return SearchStep(
                ratePerS,
                run.opsPerS,
                interval,
                run.health.isGeneratorLimited,
                reason(run, interval, objective),
            )
        }

        private fun intervalOf(run: RunResult, objective: Objective): Interval? {
            val blocks = run.seconds.filterIndexed { second, _ -> second in run.window }
                .map { it.total().intendedResponseTimes.toHistogram() }
            if (blocks.count { it.totalCount > 0 } < 2) return null
            return objective.percentile?.let { percentileInterval(blocks, it) } ?: meanInterval(blocks)
        }

        private fun reason(run: RunResult, interval: Interval?, objective: Objective): String? {
            val errors = Operation.entries.sumOf { run.total[it].errors } + run.connectionErrors
            return when {
                run.problem() != null -> run.problem()
                errors > 0 -> "$errors errors"
                run.health.unanswered + run.health.lost > 0 -> "${run.health.unanswered + run.health.lost} not answered"
                interval?.highUs?.isFinite() != true -> "too few or too uneven to tell; give more --test-time"
                interval.highUs >= objective.limitUs -> "too slow"
                else -> null
            }
        }

        private fun Double.shown() = if (isFinite()) fixed(3) else "unknown"
    }
}
