package mwlab.loadgen.arrivals

import kotlin.math.abs
import kotlin.math.exp
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotEquals
import kotlin.test.assertTrue

class PoissonArrivalsTest {
    private fun times(count: Int, seed: Long = 3, number: Int = 0, threads: Int = 1): List<Long> {
        val arrivals = PoissonArrivals(1000.0, seed, number, threads)
        return List(count) { arrivals.next() }
    }

    @Test
    fun `gaps have an exponential distribution and the rate that was asked for`() {
        val gaps = times(20_000).zipWithNext { a, b -> (b - a) / 1e6 }.sorted()
        val distance = gaps.withIndex().maxOf { (rank, gap) -> abs((rank + 0.5) / gaps.size - (1 - exp(-gap))) }
        assertTrue(distance < 1.63 / sqrt(gaps.size.toDouble()), "Kolmogorov-Smirnov distance $distance, 1 % level")
        assertEquals(1.0, gaps.average(), 0.04)
    }

    @Test
    fun `threads together make the arrivals of one`() {
        val three = List(3) { times(100, number = it, threads = 3) }.flatten()
        assertEquals(times(300), three.sorted())
    }

    @Test
    fun `another seed makes other arrivals`() {
        assertNotEquals(times(100), times(100, seed = 4))
    }
}
