package mwlab.loadgen.workload

import java.util.SplittableRandom
import kotlin.math.exp
import kotlin.math.ln
import kotlin.math.pow
import kotlin.math.roundToLong

/** An endless walk through a key range. Not thread-safe. */
internal fun interface KeySequence {
    fun next(): Long
}

/** Every key equally often on average. */
internal fun uniformKeys(range: LongRange, random: SplittableRandom) = KeySequence {
    random.nextLong(range.first, range.last + 1)
}

/** From the first key to the last and again. */
internal fun sequentialKeys(range: LongRange): KeySequence {
    var next = range.first
    return KeySequence {
        val key = next
        next = if (key == range.last) range.first else key + 1
        key
    }
}

/** Normally distributed around [median], values outside of the range drawn again; 0 stands for memtier's defaults. */
internal fun gaussianKeys(range: LongRange, stddev: Double, median: Double, random: SplittableRandom): KeySequence {
    if (range.first == range.last) return KeySequence { range.first }
    val length = (range.last - range.first).toDouble()
    val centre = if (median == 0.0) range.first + length / 2 + HALF else median
    val deviation = if (stddev == 0.0) length / 6 else stddev
    return KeySequence {
        var value: Double
        do {
            value = centre + deviation * random.nextGaussian()
        } while (value < range.first || value >= range.last + 1.0)
        value.toLong()
    }
}

/**
 * Key k with probability proportional to k^-[exponent], smallest key most often; key 0 cannot occur.
 *
 * Rejection-inversion, Hörmann & Derflinger 1996, doi:10.1145/235025.235029: constant time and memory for any range.
 */
internal class ZipfKeys(range: LongRange, private val exponent: Double, private val random: SplittableRandom) :
    KeySequence {
    private val first = range.first.coerceAtLeast(1)
    private val last = range.last.coerceAtLeast(first)
    private val areaFirst = area(first + HALF) - density(first.toDouble())
    private val areaLast = area(last + HALF)
    private val sure = first + 1 - inverseArea(area(first + 1 + HALF) - density(first + 1.0))

    override fun next(): Long {
        while (true) {
            val u = areaLast + random.nextDouble() * (areaFirst - areaLast)
            val x = inverseArea(u)
            val key = x.roundToLong().coerceIn(first, last)
            if (key - x <= sure || u >= area(key + HALF) - density(key.toDouble())) return key
        }
    }

    private fun density(x: Double) = x.pow(-exponent)

    /** The integral of [density] from 1 to x. */
    private fun area(x: Double) = if (isHarmonic()) ln(x) else (x.pow(1 - exponent) - 1) / (1 - exponent)

    private fun inverseArea(area: Double) =
        if (isHarmonic()) exp(area) else (1 + area * (1 - exponent)).pow(1 / (1 - exponent))

    private fun isHarmonic() = kotlin.math.abs(exponent - 1) < NEAR_ONE

    private companion object {
        const val NEAR_ONE = 1e-4
    }
}

private const val HALF = 0.5
