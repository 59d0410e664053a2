package mwlab.loadgen.arrivals

import java.util.SplittableRandom
import kotlin.math.PI
import kotlin.math.cos
import kotlin.math.ln

/** How many requests per second an open loop sends, over the time of a run. */
sealed interface Rate {
    /** The rate in steps, the first of which starts at 0; without end where the rate changes for ever. */
    fun steps(random: SplittableRandom): Sequence<RateStep>

    /** Always the same. */
    data class Constant(val perS: Double) : Rate {
        override fun steps(random: SplittableRandom) = sequenceOf(RateStep(0.0, perS))
    }

    /** In given steps. */
    data class Steps(val steps: List<RateStep>) : Rate {
        override fun steps(random: SplittableRandom) = steps.asSequence()
    }

    /** A sine that begins upwards, in a thousand steps per period, each of its mean rate. */
    data class Sine(val meanPerS: Double, val amplitudePerS: Double, val periodS: Double) : Rate {
        override fun steps(random: SplittableRandom) = generateSequence(0L) { it + 1 }.map { number ->
            val within = number % STEPS_PER_PERIOD
            val rate = meanPerS + amplitudePerS * (integral(within + 1) - integral(within))
            RateStep(number * periodS / STEPS_PER_PERIOD, rate.coerceAtLeast(0.0))
        }

        private fun integral(step: Long) = -cos(2 * PI * step / STEPS_PER_PERIOD) * STEPS_PER_PERIOD / (2 * PI)
    }

    /** Of two states in turns, each for an exponentially distributed time: arrivals are a Markov-modulated Poisson process. */
    data class OnOff(val on: State, val off: State) : Rate {
        override fun steps(random: SplittableRandom) = sequence {
            var seconds = 0.0
            var isOn = random.nextDouble() * (on.meanS + off.meanS) < on.meanS
            while (true) {
                val state = if (isOn) on else off
                yield(RateStep(seconds, state.ratePerS))
                seconds -= state.meanS * ln(1 - random.nextDouble())
                isOn = !isOn
            }
        }
    }

    /** A state of [OnOff]: its rate, and how long it lasts on average. */
    data class State(val ratePerS: Double, val meanS: Double)

    private companion object {
        const val STEPS_PER_PERIOD = 1000
    }
}

/** From [startS] seconds of the run on, until the next step, there are [ratePerS] arrivals per second. */
data class RateStep(val startS: Double, val ratePerS: Double)
