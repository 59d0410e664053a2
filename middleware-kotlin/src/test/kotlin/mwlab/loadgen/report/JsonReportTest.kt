package mwlab.loadgen.report

import mwlab.loadgen.fixture
import mwlab.loadgen.histogramsOf
import mwlab.loadgen.measure.Latencies
import mwlab.loadgen.measure.OperationStats
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Load
import mwlab.loadgen.options.Mix
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Output
import mwlab.loadgen.options.Target
import mwlab.loadgen.options.ValueSize
import mwlab.loadgen.options.Values
import mwlab.loadgen.result.RunPeriod
import mwlab.loadgen.statsOf
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class JsonReportTest {
    private val fixture = fixture("mixed-multiget6.json")
    private val options = Options(
        target = Target("10.77.0.6", 11211),
        load = Load(threads = 2, clients = 2, requests = 0, testTimeS = 5),
        mix = Mix(1, 6, 6),
        keys = Keys(maximum = 10_000),
        values = Values(ValueSize.Fixed(4096), expiryS = 9999L..10_000L),
    )

    private fun write(sections: List<Section>, options: Options = this.options) =
        buildString { JsonReport(options, this).write(sections) { it.number("Format version", 1) } }

    /** The run behind the fixture as far as totals go; each second holds one request, as its numbers are not compared. */
    private fun section(): Section {
        val (sets, gets, _, totals) = histogramsOf(fixture).map { statsOf(it) }
        val second = OperationStats().apply { record(1000, 0, 0, 1, 1) }
        fun row(name: String, stats: OperationStats) = Row(name, stats, Rates.of(stats, 0, 5.0), List(6) { second })
        return Section(
            "ALL STATS",
            RunPeriod(1, 5_004_000),
            false,
            row("Sets", sets),
            row("Gets", gets),
            row("Totals", totals),
        )
    }

    private fun withoutExtras(json: String) = json.substringBefore("\t,\"${JsonReport.EXTRAS}\"") + "\t}\n"

    private fun maskNumbers(json: String) = json
        .replace(Regex("""(Compressed Histogram": ").*""""), "$1...\"")
        .replace(Regex(""": +\d+\.(\d+)\n""")) { ": x." + "d".repeat(it.groupValues[1].length) + "\n" }
        .replace(Regex(""": +\d+\n"""), ": n\n")

    @Test
    fun `line by line the file has memtier's keys, order, number formats and layout`() {
        assertEquals(maskNumbers(fixture).lines(), maskNumbers(withoutExtras(write(listOf(section())))).lines())
    }

    @Test
    fun `configuration and run information are memtier's to the character`() {
        val end = "\t,\"ALL STATS\""
        assertEquals(fixture.substringBefore(end), write(listOf(section())).substringBefore(end))
    }

    @Test
    fun `histograms decode to what was recorded`() {
        assertEquals(histogramsOf(fixture), histogramsOf(write(listOf(section()))))
    }

    @Test
    fun `percentiles, means and distribution of the same histogram have memtier's values`() {
        fun values(json: String) = Regex(""""(p\d.*|<=msec|percent)": (.*)""").findAll(json.substringAfter("\"SET\":["))
            .map { it.value }.toList()
        assertEquals(values(fixture), values(withoutExtras(write(listOf(section())))))
    }

    @Test
    fun `the extras stand under one key at the end`() {
        assertTrue(
            write(listOf(section())).endsWith("\t,\"middleware-lab\":{\n\t\t\"Format version\": 1\n\t\t}\n\t}\n"),
        )
    }

    @Test
    fun `percentiles that memtier would give the same key are written in full`() {
        val percentiles = Output(percentiles = listOf(99.999, 99.99, 5.0, 100.0), hideHistogram = true)
        val json = write(listOf(section()), Options(output = percentiles))
        val total = json.substringAfter("Percentile Latencies").substringBefore("Histogram log format")
        val keys = Regex(""""(p[0-9.]+)"""").findAll(total).map { it.groupValues[1] }.toList()
        assertEquals(listOf("p5.000", "p99.99", "p99.999", "p100.0"), keys)
        assertTrue("\"p5.00\":" in json.substringBefore("Percentile Latencies"))
    }
}
