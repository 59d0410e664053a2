package mwlab.loadgen.workload

import mwlab.loadgen.request.Operation
import java.util.SplittableRandom

/** Operations in random order, each with a probability proportional to its weight. Not thread-safe. */
internal class WeightedDraw(weights: Map<Operation, Int>, private val random: SplittableRandom) {
    private val operations = weights.keys.toTypedArray()
    private val bounds = weights.values.runningReduce(Int::plus).toIntArray()

    fun next(): Operation {
        val point = random.nextInt(bounds.last())
        return operations[bounds.indexOfFirst { point < it }]
    }
}
