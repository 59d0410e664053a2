package mwlab.loadgen.workload

import mwlab.loadgen.options.ValueSize
import kotlin.math.ln
import kotlin.math.pow

/**
 * Sizes of keys and values in Facebook's ETC pool: Atikoglu, Xu, Frachtenberg, Jiang & Paleczny, "Workload Analysis of a
 * Large-Scale Key-Value Store", SIGMETRICS 2012, doi:10.1145/2254756.2254766, section 5.
 *
 * Keys are distributed by a generalized extreme value distribution, values of 15 bytes or more by a generalized Pareto
 * distribution at location 0, and smaller ones have a probability each. Both are functions of the key's number, so that
 * every client, run and host knows the same key and value of a number to have the same sizes.
 */
internal object EtcSizes {
    private const val KEY_LOCATION = 30.7984
    private const val KEY_SCALE = 8.20449
    private const val KEY_SHAPE = 0.078688
    private const val LONGEST_KEY_BYTES = 250

    private const val VALUE_SCALE = 214.476
    private const val VALUE_SHAPE = 0.348238

    /** Probabilities of values of 0, 1, 2, ... bytes. */
    private val SMALL = doubleArrayOf(
        0.00536, 0.00047, 0.17820, 0.09239, 0.00018, 0.02740, 0.00065, 0.00606,
        0.00023, 0.00837, 0.00837, 0.08989, 0.00092, 0.00326, 0.01980,
    )
    private val SMALL_SUM = SMALL.sum()

    fun keyBytes(key: Long): Int = keyQuantile(uniform(2 * key)).toInt().coerceIn(1, LONGEST_KEY_BYTES)

    fun valueBytes(key: Long): Int =
        valueQuantile(uniform(2 * key + 1)).toInt().coerceAtMost(ValueSize.Etc.largestBytes)

    /** Length that a share of [probability] of the keys does not exceed. */
    fun keyQuantile(probability: Double): Double =
        KEY_LOCATION + KEY_SCALE * ((-ln(probability)).pow(-KEY_SHAPE) - 1) / KEY_SHAPE

    /** Likewise of values; those of 15 bytes or more are Pareto distributed given that they are so large. */
    fun valueQuantile(probability: Double): Double {
        var rest = probability
        for ((bytes, share) in SMALL.withIndex()) {
            if (rest < share) return bytes.toDouble()
            rest -= share
        }
        val beyondSmall = (1 + VALUE_SHAPE * SMALL.size / VALUE_SCALE).pow(-1 / VALUE_SHAPE)
        val beyond = beyondSmall * (1 - probability) / (1 - SMALL_SUM)
        return VALUE_SCALE / VALUE_SHAPE * (beyond.pow(-VALUE_SHAPE) - 1)
    }

    /** Number [index] of a fixed random sequence in (0, 1): SplitMix64, Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195. */
    private fun uniform(index: Long): Double {
        var bits = index * -0x61c8864680b583ebL
        bits = (bits xor (bits ushr 30)) * -0x40a7b892e31b1a47L
        bits = (bits xor (bits ushr 27)) * -0x6b2fb644ecceee15L
        bits = bits xor (bits ushr 31)
        return ((bits ushr 11) + 0.5) / (1L shl 53)
    }
}
