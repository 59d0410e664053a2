package mwlab.loadgen.workload

import mwlab.loadgen.options.KeyPattern
import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.Options
import mwlab.loadgen.options.Pacing
import java.util.SplittableRandom
import kotlin.math.abs
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotEquals
import kotlin.test.assertTrue

class KeySequenceTest {
    private val random = SplittableRandom(1)

    private fun draw(sequence: KeySequence, count: Int = 100_000) = List(count) { sequence.next() }

    @Test
    fun `sequential keys start again behind the last`() {
        assertEquals(listOf(3L, 4, 5, 3, 4), draw(sequentialKeys(3L..5L), 5))
    }

    @Test
    fun `uniform keys cover the range evenly`() {
        val counts = draw(uniformKeys(1L..10L, random)).groupingBy { it }.eachCount()
        assertEquals((1L..10L).toSet(), counts.keys)
        assertTrue(counts.values.all { abs(it - 10_000) < 500 }, "$counts")
    }

    @Test
    fun `gaussian keys have memtier's centre and spread by default`() {
        val keys = draw(gaussianKeys(1L..10_000L, stddev = 0.0, median = 0.0, random))
        val mean = keys.average()
        val stddev = sqrt(keys.sumOf { (it - mean) * (it - mean) } / keys.size)
        assertTrue(keys.all { it in 1..10_000 })
        assertEquals(5000.0, mean, 30.0)
        assertEquals(10_000 / 6.0, stddev, 40.0)
    }

    @Test
    fun `zipf keys follow the power law for any exponent`() {
        for (exponent in listOf(0.5, 1.0, 2.0)) {
            val range = 1L..1000L
            val counts = draw(ZipfKeys(range, exponent, SplittableRandom(2))).groupingBy { it }.eachCount()
            val normalisation = range.sumOf { Math.pow(it.toDouble(), -exponent) }
            for (key in listOf(1L, 2L, 10L)) {
                val expected = 100_000 * Math.pow(key.toDouble(), -exponent) / normalisation
                assertEquals(
                    expected,
                    counts.getValue(key).toDouble(),
                    5 * sqrt(expected),
                    "key $key, exponent $exponent",
                )
            }
            assertTrue(counts.keys.all { it in range })
        }
    }

    @Test
    fun `a zipf range of one key is that key`() {
        assertEquals(setOf(7L), draw(ZipfKeys(7L..7L, 1.0, random), 100).toSet())
    }

    @Test
    fun `parallel shares are contiguous, disjoint and cover the range`() {
        val keys = Keys(minimum = 1, maximum = 103, setPattern = KeyPattern.PARALLEL, getPattern = KeyPattern.PARALLEL)
        val shares = List(7) { keys.rangeOf(it, 7) }
        assertEquals((1L..103L).toList(), shares.flatMap { it.toList() })
        assertTrue(shares.all { it.count() in 14..15 })
    }

    @Test
    fun `clients draw the same keys unless told to differ`() {
        val same = Keys()
        assertEquals(same.randomOf(0, 5).nextLong(), same.randomOf(1, 5).nextLong())
        val distinct = Keys(distinctClientSeed = true)
        assertNotEquals(distinct.randomOf(0, 5).nextLong(), distinct.randomOf(1, 5).nextLong())
    }

    @Test
    fun `instances draw different seeds when anything is to differ`() {
        val drawn = listOf(
            Options(keys = Keys(distinctClientSeed = true)),
            Options(keys = Keys(randomize = true)),
            Options(pacing = Pacing(openRatePerS = 1.0)),
            Options(pacing = Pacing(rateLimitPerS = 1.0)),
        )
        for (options in drawn) assertNotEquals(baseSeedOf(options), baseSeedOf(options))
        assertEquals(0, baseSeedOf(Options()))
    }
}
