package mwlab.loadgen.client

import java.util.SplittableRandom
import kotlin.math.abs
import kotlin.math.exp
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class RandomArrivalsTest {
    @Test
    fun `gaps of a Poisson process are exponentially distributed`() {
        val arrivals = RandomArrivals(ratePerS = 1000.0, poisson = true, phase = 0.0, SplittableRandom(3))
        val gaps = List(20_001) { arrivals.next() }.zipWithNext { a, b -> (b - a) / 1e9 }.sorted()
        val distance = gaps.withIndex().maxOf { (rank, gap) -> abs((rank + 0.5) / gaps.size - (1 - exp(-1000 * gap))) }
        assertTrue(distance < 1.63 / sqrt(gaps.size.toDouble()), "Kolmogorov-Smirnov distance $distance, 1 % level")
    }

    @Test
    fun `fixed gaps of two threads interleave`() {
        val threads = listOf(0.0, 0.5).map { RandomArrivals(10.0, poisson = false, it, SplittableRandom(3)) }
        val times = threads.flatMap { arrivals -> List(3) { arrivals.next() / 1_000_000 } }.sorted()
        assertEquals(listOf(0L, 50, 100, 150, 200, 250), times)
    }
}
