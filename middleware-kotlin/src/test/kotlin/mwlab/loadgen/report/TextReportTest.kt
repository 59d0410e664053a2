package mwlab.loadgen.report

import mwlab.loadgen.fixture
import mwlab.loadgen.histogramsOf
import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.options.Load
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Output
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.statsOf
import kotlin.test.Test
import kotlin.test.assertEquals

class TextReportTest {
    /** Rebuilds the run behind one of memtier's own reports: its histograms from the JSON, its rates from the table. */
    private fun reprint(name: String, options: Options): String {
        val (sets, gets) = histogramsOf(fixture("$name.json"))
        val rates = fixture("$name.out").lines().filter { Regex("^(Sets|Gets|Totals) .*").matches(it) }
            .associate { line -> line.split(Regex(" +")).let { cells -> cells[0] to ratesOf(cells) } }
        fun row(name: String, stats: OperationStats) = Row(name, stats, rates.getValue(name), emptyList())
        val (set, get) = statsOf(sets) to statsOf(gets, keys = 1)
        val total = OperationStats().apply {
            this += set
            this += get
        }
        val section =
            Section("ALL STATS", RunPeriod(0, 0), false, row("Sets", set), row("Gets", get), row("Totals", total))
        return buildString { TextReport(options, this).write(listOf(section)) }
    }

    private fun ratesOf(cells: List<String>): Rates {
        val numbers = cells.drop(1).dropLast(1).map { it.toDoubleOrNull() ?: 0.0 }
        return Rates(numbers[0], numbers[1], numbers[2], kbRx = numbers.last(), kbTx = 0.0, connectionErrors = 0.0)
    }

    @Test
    fun `the report of sets is memtier's, character for character`() {
        val options = Options(load = Load(threads = 2, clients = 2, requests = 0, testTimeS = 5))
        assertEquals(fixture("set-only.out"), reprint("set-only", options))
    }

    @Test
    fun `the report of gets is memtier's, character for character`() {
        val options = Options(load = Load(threads = 2, clients = 2, requests = 0, testTimeS = 5))
        assertEquals(fixture("get-only.out"), reprint("get-only", options))
    }

    @Test
    fun `percentiles stand in the order they were asked for, and the distribution can be hidden`() {
        val output = Output(percentiles = listOf(99.99, 50.0), hideHistogram = true)
        val text = reprint("set-only", Options(output = output))
        assertEquals(
            listOf("99.99", "50"),
            Regex("p([0-9.]+) Latency").findAll(text).map {
                it.groupValues[1]
            }.toList(),
        )
        assertEquals(0, Regex("SET").findAll(text).count())
    }
}
