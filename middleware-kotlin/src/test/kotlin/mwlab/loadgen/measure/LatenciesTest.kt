package mwlab.loadgen.measure

import mwlab.loadgen.fixture
import mwlab.loadgen.histogramsOf
import kotlin.test.Test
import kotlin.test.assertEquals

class LatenciesTest {
    private val json = fixture("set-only.json")
    private val sets = histogramsOf(json).first()

    @Test
    fun `the distribution is the one memtier printed of the same histogram`() {
        val block = json.substringAfter("\"SET\":[").substringBefore("]")
        val printed = Regex(""""<=msec": (\S+)\s+,"percent": (\S+)""").findAll(block).map {
            it.groupValues.drop(1)
        }.toList()
        val ours = Latencies.distribution(sets).map { listOf(it.ms.fixed(3), it.percent.fixed(3)) }
        assertEquals(printed, ours)
    }

    @Test
    fun `percentiles and extremes are the ones memtier printed of the same histogram`() {
        val block = json.substringAfter("\"Sets\":{").substringBefore("\"Gets\"")
        val percentiles = block.substringAfter("Percentile Latencies")
        fun printed(text: String, key: String) = text.substringAfter("\"$key\": ").substringBefore('\n')
        assertEquals(printed(percentiles, "p50.00"), Latencies.percentileMs(sets, 50.0).fixed(3))
        assertEquals(printed(percentiles, "p99.00"), Latencies.percentileMs(sets, 99.0).fixed(3))
        assertEquals(printed(percentiles, "p99.90"), Latencies.percentileMs(sets, 99.9).fixed(3))
        assertEquals(printed(block, "Min Latency"), Latencies.minMs(sets).fixed(3))
        assertEquals(printed(block, "Max Latency"), Latencies.maxMs(sets).fixed(3))
    }

    @Test
    fun `an empty histogram reads as memtier's does`() {
        val empty = TimeHistogram().toHistogram()
        assertEquals("0.007", Latencies.percentileMs(empty, 50.0).fixed(3))
        assertEquals(listOf(0.0 to 100.0), Latencies.distribution(empty).map { it.ms to it.percent })
        assertEquals(0, histogramsOf(json)[2].totalCount)
    }
}
