package mwlab.loadgen.search

import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.util.SplittableRandom
import kotlin.math.ln
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

class RateSearchTest {
    /** All rates that were tried. */
    private fun search(firstPerS: Double, passes: (Double) -> Boolean): Pair<RateSearch, List<Double>> {
        val search = RateSearch(firstPerS)
        val tried = generateSequence { search.next }.onEach { search.note(it, passes(it)) }.toList()
        return search to tried
    }

    /** The 99th percentile of response times in an M/M/1 station. */
    private fun p99(ratePerS: Double) = if (ratePerS >=
        SERVICE_RATE
    ) {
        Double.POSITIVE_INFINITY
    } else {
        ln(100.0) / (SERVICE_RATE - ratePerS)
    }

    @ParameterizedTest
    @ValueSource(doubles = [1.0, 700.0, 9_000.0, 200_000.0])
    fun `the rate of an M M 1 station is found from anywhere`(firstPerS: Double) {
        val (search, tried) = search(firstPerS) { p99(it) < 0.005 }
        val highest = SERVICE_RATE - ln(100.0) / 0.005
        val found = checkNotNull(search.passingPerS)
        assertTrue(found <= highest && highest <= found * (1 + RateSearch.PRECISION), "$found for $highest")
        assertTrue(search.isDone)
        assertEquals(2, tried.count { it == found }, "what was found is tried again")
        assertTrue(tried.size <= 25, "$tried")
    }

    @Test
    fun `noise at the edge costs no more than some percent`() {
        val highest = SERVICE_RATE - ln(100.0) / 0.005
        val random = SplittableRandom(1)
        val found = List(200) {
            val (search, tried) = search(1000.0) { p99(it * (0.97 + 0.06 * random.nextDouble())) < 0.005 }
            assertTrue(tried.size <= RateSearch.MOST_STEPS)
            checkNotNull(search.passingPerS) / highest
        }
        assertTrue(found.all { it in 0.92..1.04 }, "${found.min()} to ${found.max()}")
    }

    @Test
    fun `a rate that passes by chance above one that failed does not count`() {
        val search = RateSearch(100.0)
        search.note(100.0, true)
        search.note(200.0, true)
        search.note(150.0, false)
        assertEquals(100.0, search.passingPerS)
        assertEquals(150.0, search.failingPerS)
    }

    @Test
    fun `a search ends when nothing or everything passes`() {
        val (never, tried) = search(1000.0) { false }
        assertNull(never.passingPerS)
        assertFalse(never.isDone)
        assertTrue(tried.size <= 12)
        val (always, _) = search(1000.0) { true }
        assertNull(always.failingPerS)
        assertFalse(always.isDone)
    }

    private companion object {
        const val SERVICE_RATE = 10_000.0
    }
}
