package mwlab.loadgen.workload

import mwlab.loadgen.options.Keys
import mwlab.loadgen.options.ValueSize
import kotlin.math.abs
import kotlin.math.exp
import kotlin.math.floor
import kotlin.math.pow
import kotlin.math.sqrt
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The sizes are functions of the key's number, so these tests always see the same ones. */
class EtcSizesTest {
    private val keys = 1L..50_000L

    /** Largest distance of the sizes' distribution from [cdf], which is one of real numbers that were cut to whole ones. */
    private fun distance(sizes: List<Int>, cdf: (Double) -> Double): Double =
        sizes.groupingBy { it }.eachCount().toSortedMap().let { counts ->
            var upTo = 0
            counts.maxOf { (size, count) ->
                upTo += count
                abs(upTo.toDouble() / sizes.size - cdf(size + 1.0))
            }
        }

    private val critical = 1.63 / sqrt(50_000.0)

    @Test
    fun `key sizes follow the generalized extreme value distribution`() {
        fun cdf(x: Double) = exp(-(1 + 0.078688 * (x - 30.7984) / 8.20449).pow(-1 / 0.078688))
        val distance = distance(keys.map { EtcSizes.keyBytes(it) }, ::cdf)
        assertTrue(distance < critical, "Kolmogorov-Smirnov distance $distance, 1 % level")
    }

    @Test
    fun `quantiles of key sizes are those of the paper's distribution`() {
        val sizes = keys.map { EtcSizes.keyBytes(it) }.sorted()
        assertEquals(33.85, EtcSizes.keyQuantile(0.5), 0.01)
        for (probability in listOf(0.01, 0.25, 0.5, 0.75, 0.99)) {
            val expected = floor(EtcSizes.keyQuantile(probability))
            assertEquals(expected, sizes[(probability * sizes.size).toInt()].toDouble(), 1.0, "at $probability")
        }
    }

    @Test
    fun `small values have their own probabilities, the others are Pareto distributed`() {
        val sizes = keys.map { EtcSizes.valueBytes(it) }
        val shares = mapOf(0 to 0.00536, 2 to 0.17820, 3 to 0.09239, 11 to 0.08989, 14 to 0.01980)
        for ((bytes, share) in shares) {
            val counted = sizes.count { it == bytes }.toDouble()
            val expected = share * sizes.size
            assertEquals(expected, counted, 4 * sqrt(expected), "$bytes bytes")
        }
        fun beyond(x: Double) = (1 + 0.348238 * x / 214.476).pow(-1 / 0.348238)
        val large = sizes.filter { it >= 15 }
        assertEquals(0.55845, large.size / 50_000.0, 0.01)
        val distance = distance(large) { 1 - beyond(it) / beyond(15.0) }
        assertTrue(distance < 1.63 / sqrt(large.size.toDouble()), "Kolmogorov-Smirnov distance $distance, 1 % level")
    }

    @Test
    fun `no value is too large for memcached`() {
        assertTrue(EtcSizes.valueQuantile(1 - 1e-12) > ValueSize.Etc.largestBytes)
        assertTrue((1L..1_000_000L).all { EtcSizes.valueBytes(it) <= ValueSize.Etc.largestBytes })
    }

    @Test
    fun `keys have their sizes and are all different`() {
        val text = KeyText(Keys(prefix = "k", sizesOfEtc = true))
        val texts = keys.map { text.setObject(it).toString() }
        assertEquals(texts.size, texts.toSet().size)
        texts.forEachIndexed { index, key ->
            val number = index + 1L
            assertEquals(maxOf(EtcSizes.keyBytes(number), "k$number".length), key.length)
            assertEquals(number, key.removePrefix("k").toLong())
        }
    }
}
