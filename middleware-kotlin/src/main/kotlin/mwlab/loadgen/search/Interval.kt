package mwlab.loadgen.search

import org.HdrHistogram.Histogram
import kotlin.math.max
import kotlin.math.sqrt

/** An estimate in microseconds and its 95 % interval; [highUs] is infinite if there are too few values to tell. */
internal class Interval(val estimateUs: Double, val lowUs: Double, val highUs: Double)

/**
 * A percentile by order statistics: its rank among all values is binomially distributed, with as many values as would be
 * independent. Response times depend on those before, so shares above the percentile vary more between [blocks] than
 * chance would have it: by that factor the values are fewer.
 *
 * @param blocks response times in us of successive parts of a run, at least two
 * @param percentile 0 to 100
 */
internal fun percentileInterval(blocks: List<Histogram>, percentile: Double): Interval {
    val all = sumOf(blocks)
    val share = percentile / 100
    val estimate = all.getValueAtPercentile(percentile)
    val counts = blocks.filter { it.totalCount > 0 }
    val meanCount = all.totalCount.toDouble() / counts.size
    val above = counts.map { (it.totalCount - it.getCountBetweenValues(0, estimate)).toDouble() }
    val shareAbove = above.sum() / all.totalCount
    val variance = counts.indices.sumOf { square(above[it] - shareAbove * counts[it].totalCount) } / (counts.size - 1)
    val dispersion = max(variance / (meanCount * share * (1 - share)), 1.0)
    val halfWidth = t975(counts.size - 1) * sqrt(share * (1 - share) * dispersion / all.totalCount)
    return Interval(
        estimate.toDouble(),
        all.getValueAtPercentile(100 * max(share - halfWidth, 0.0)).toDouble(),
        if (share + halfWidth <
            1
        ) {
            all.getValueAtPercentile(100 * (share + halfWidth)).toDouble()
        } else {
            Double.POSITIVE_INFINITY
        },
    )
}

/** The mean, by the sums of [blocks], which differ more than chance would have it as well; at least two. */
internal fun meanInterval(blocks: List<Histogram>): Interval {
    val counts = blocks.filter { it.totalCount > 0 }
    val all = counts.sumOf { it.totalCount }.toDouble()
    val mean = counts.sumOf { it.mean * it.totalCount } / all
    val variance = counts.sumOf { square((it.mean - mean) * it.totalCount) } / (counts.size - 1)
    val halfWidth = t975(counts.size - 1) * sqrt(variance * counts.size) / all
    return Interval(mean, mean - halfWidth, mean + halfWidth)
}

private fun sumOf(blocks: List<Histogram>) = Histogram(blocks.first()).also {
    it.reset()
}.also { sum -> blocks.forEach(sum::add) }

private fun square(x: Double) = x * x

/** The 97.5 % quantile of Student's t distribution; Fisher's expansion in 1/[freedom] from 5 on. */
private fun t975(freedom: Int): Double = when (freedom) {
    0 -> Double.POSITIVE_INFINITY

    in 1..4 -> listOf(12.706, 4.303, 3.182, 2.776)[freedom - 1]

    else -> 1.95996 + 2.37227 / freedom + 2.8225 / square(freedom.toDouble()) +
        2.556 / (square(freedom.toDouble()) * freedom)
}
