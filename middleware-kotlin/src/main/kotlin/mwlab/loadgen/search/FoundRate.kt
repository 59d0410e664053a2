package mwlab.loadgen.search

import mwlab.loadgen.measure.fixed
import mwlab.loadgen.options.Objective
import mwlab.loadgen.result.RunResult

/**
 * What a search came to.
 *
 * @property passingPerS the rate that was found; null if none passed
 * @property failingPerS the lowest rate that failed; null if none did
 * @property isDone false if the search was interrupted or took too many steps
 * @property run at the rate that was found; else the last one, if there is any
 */
internal class FoundRate(
    val steps: List<SearchStep>,
    val passingPerS: Double?,
    val failingPerS: Double?,
    val isDone: Boolean,
    val run: RunResult?,
) {
    /** All steps, and what they came to. */
    fun table(objective: Objective): List<String> = listOf("", "Search for ${objective.text}", SearchStep.TITLES) +
        steps.mapIndexed { index, step -> step.line(index + 1) } +
        result()

    private fun result(): String {
        val bracket = "highest rate that passed: ${shown(passingPerS)}, lowest that failed: ${shown(failingPerS)}"
        return if (isDone) bracket else "$bracket (the search was not brought to its end)"
    }

    private fun shown(ratePerS: Double?) = ratePerS?.let { "${it.fixed(1)}/s" } ?: "none"
}

/**
 * Searches the highest rate that passes.
 *
 * @param measure a run at a rate, which may be interrupted
 * @param judge what to make of it
 * @param report told each step when it has been made
 */
internal fun findRate(
    firstPerS: Double,
    measure: (step: Int, ratePerS: Double) -> RunResult,
    judge: (ratePerS: Double, run: RunResult) -> SearchStep,
    report: (number: Int, SearchStep) -> Unit,
): FoundRate {
    val search = RateSearch(firstPerS)
    val steps = ArrayList<SearchStep>()
    val runs = ArrayList<RunResult>()
    while (runs.lastOrNull()?.interrupted != true) {
        val rate = search.next ?: break
        val run = measure(steps.size + 1, rate)
        runs += run
        if (run.interrupted) break
        val step = judge(rate, run)
        steps += step
        search.note(rate, step.passed)
        report(steps.size, step)
    }
    val found = steps.indexOfLast { it.ratePerS == search.passingPerS }
    return FoundRate(
        steps,
        search.passingPerS,
        search.failingPerS,
        search.isDone,
        runs.getOrNull(found) ?: runs.lastOrNull(),
    )
}
