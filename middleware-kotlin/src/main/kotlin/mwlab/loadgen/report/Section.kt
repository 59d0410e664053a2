package mwlab.loadgen.report

import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.measure.SecondStats
import mwlab.loadgen.request.Operation
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.result.RunResult

/**
 * One result section of the reports: a run, or the average of all.
 *
 * @property further operations beyond memtier's that were used
 */
internal class Section(
    val title: String,
    val period: RunPeriod,
    val interrupted: Boolean,
    val sets: Row,
    val gets: Row,
    val totals: Row,
    val further: Map<Operation, Row> = emptyMap(),
) {
    /** memtier always has a row for Redis's WAIT; ours is empty. */
    val waits = Row("Waits", OperationStats(), Rates.NONE, sets.series.map { OperationStats() })

    /** In memtier's order. */
    val rows: List<Row> get() = listOf(sets, gets, waits) + further.values + totals
}

/**
 * What is reported of one kind of request.
 *
 * @property series by second of the run, from 0; empty for an average of runs
 */
internal class Row(
    val name: String,
    val stats: OperationStats,
    val rates: Rates,
    val series: List<OperationStats>,
    val connectionErrors: Long = 0,
)

/** Per second; KB are 1024 bytes. */
internal class Rates(
    val ops: Double,
    val hits: Double,
    val misses: Double,
    val kbRx: Double,
    val kbTx: Double,
    val connectionErrors: Double,
) {
    val kb: Double get() = kbRx + kbTx

    companion object {
        val NONE = Rates(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

        fun of(stats: OperationStats, connectionErrors: Long, durationS: Double) = Rates(
            ops = stats.count / durationS,
            hits = stats.hits / durationS,
            misses = stats.misses / durationS,
            kbRx = stats.bytesRx / KB / durationS,
            kbTx = stats.bytesTx / KB / durationS,
            connectionErrors = connectionErrors / durationS,
        )

        fun mean(rates: List<Rates>) = Rates(
            ops = rates.map { it.ops }.average(),
            hits = rates.map { it.hits }.average(),
            misses = rates.map { it.misses }.average(),
            kbRx = rates.map { it.kbRx }.average(),
            kbTx = rates.map { it.kbTx }.average(),
            connectionErrors = rates.map { it.connectionErrors }.average(),
        )

        private const val KB = 1024.0
    }
}

/** The sections of a test in memtier's order: one of a single run, else best, worst and average. */
internal fun sectionsOf(runs: List<RunResult>, printAllRuns: Boolean): List<Section> {
    if (runs.size == 1) return listOf(sectionOf("ALL STATS", runs.single()))
    val each = runs.mapIndexed { index, run -> sectionOf("RUN #${index + 1} RESULTS", run) }
    return each.filter { printAllRuns } +
        sectionOf("BEST RUN RESULTS", runs.maxBy { it.opsPerS }) +
        sectionOf("WORST RUN RESULTS", runs.minBy { it.opsPerS }) +
        averageOf(runs)
}

private fun sectionOf(title: String, run: RunResult): Section {
    val durationS = run.period.durationUs / US_PER_S
    fun row(name: String, stats: OperationStats, errors: Long, second: (SecondStats) -> OperationStats) =
        Row(name, stats, Rates.of(stats, errors, durationS), run.seconds.map(second), errors)

    fun row(operation: Operation) = row(operation.row, run.total[operation], 0) { it[operation] }
    return Section(
        title,
        run.period,
        run.interrupted,
        sets = row(Operation.SET),
        gets = row(Operation.GET),
        totals = row("Totals", run.total.total(), run.connectionErrors) { it.total() },
        further = run.further.associateWith { row(it) },
    )
}

/** As in memtier, rates are means over the runs and counts are sums; it has no times and no seconds. */
private fun averageOf(runs: List<RunResult>): Section {
    val sections = runs.map { sectionOf("", it) }
    fun row(choose: (Section) -> Row?): Row {
        val rows = sections.mapNotNull(choose)
        val stats = OperationStats().also { sum -> rows.forEach { sum += it.stats } }
        val rates = Rates.mean(rows.map { it.rates })
        return Row(rows.first().name, stats, rates, emptyList(), rows.sumOf { it.connectionErrors })
    }
    return Section(
        "AGGREGATED AVERAGE RESULTS (${runs.size} runs)",
        RunPeriod(0, 0),
        interrupted = runs.any { it.interrupted },
        sets = row { it.sets },
        gets = row { it.gets },
        totals = row { it.totals },
        further = runs.flatMap {
            it.further
        }.toSortedSet().associateWith { operation -> row { it.further[operation] } },
    )
}

private const val US_PER_S = 1e6
