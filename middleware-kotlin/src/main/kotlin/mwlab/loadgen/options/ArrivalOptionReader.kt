package mwlab.loadgen.options

import mwlab.loadgen.arrivals.GapDistribution
import mwlab.loadgen.arrivals.Rate
import mwlab.loadgen.arrivals.RateStep
import mwlab.options.CommandLine
import mwlab.options.OptionException
import mwlab.options.demand
import java.io.File
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

internal fun readArrivals(line: CommandLine): Arrivals {
    val kind = line["arrivals"]
    demand(kind == null || "think-time" !in line) { "--think-time is for closed loops, --arrivals for open ones." }
    demand(kind == null || "rate-limiting" !in line) { "--rate-limiting is for closed loops; --arrivals has --rate." }
    demand((kind == ON_OFF) == ("on-off" in line)) { "--arrivals=onoff and --on-off must be given together." }
    if (kind == null || kind == ON_OFF) {
        demand("rate" !in line) { if (kind == null) TOGETHER else "--arrivals=onoff has its rates in --on-off." }
        return if (kind ==
            null
        ) {
            readClosed(line)
        } else {
            Arrivals.Open(readOnOff(line), rateText = line["on-off"].orEmpty())
        }
    }
    val gaps = processes[kind]
    demand(gaps != null) { "arrivals must be poisson, fixed, uniform, etc or onoff." }
    demand("rate" in line) { TOGETHER }
    val rate = readRate(line["rate"].orEmpty())
    demand(rate is Rate.Constant || kind == POISSON) { "a rate that changes needs --arrivals=poisson." }
    return Arrivals.Open(rate, gaps, line["rate"].orEmpty())
}

private fun readClosed(line: CommandLine): Arrivals.Closed {
    val thinkTime = line["think-time"] ?: return Arrivals.Closed()
    return Arrivals.Closed(thinkTimeOf(thinkTime.removePrefix("exp:")), exponential = thinkTime.startsWith("exp:"))
}

private fun thinkTimeOf(text: String): Duration {
    val value = text.toDoubleOrNull()
    demand(value != null && value > 0) {
        "think-time must be a number of milliseconds greater than zero, or exp:<mean>."
    }
    return value.milliseconds
}

private fun readRate(text: String): Rate = when {
    text.startsWith("sine:") -> sine(text.removePrefix("sine:"))

    text.startsWith("file:") -> Rate.Steps(checked(stepsOf(File(text.removePrefix("file:"))), "the file of --rate"))

    ':' in text -> Rate.Steps(checked(text.split(',').map { step(it, ':') }, "rate"))

    else -> Rate.Constant(
        text.toDoubleOrNull().also {
            demand(it.isPositive()) { "rate must be greater than zero." }
        } ?: 0.0,
    )
}

private fun sine(text: String): Rate.Sine {
    val numbers = text.split(':').map { it.toDoubleOrNull() }
    demand(numbers.size == 3 && numbers.all { it.isPositive() } && numbers.filterNotNull().let { it[1] <= it[0] }) {
        "a sine must be expressed as sine:[mean]:[amplitude]:[period_s], none of them zero, the amplitude at most the mean."
    }
    val (mean, amplitude, periodS) = numbers.filterNotNull()
    return Rate.Sine(mean, amplitude, periodS)
}

private fun stepsOf(file: File): List<RateStep?> = try {
    file.readLines().filter { it.isNotBlank() && it.trim() != "seconds,rate" }.map { step(it, ',') }
} catch (unreadable: IOException) {
    throw OptionException("the file of --rate cannot be read: ${unreadable.message}.", unreadable)
}

private fun step(text: String, separator: Char): RateStep? {
    val numbers = text.split(separator).map {
        it.trim().toDoubleOrNull()?.takeIf { number ->
            number >= 0 &&
                number.isFinite()
        }
    }
    return if (numbers.size == 2) numbers[0]?.let { startS -> numbers[1]?.let { RateStep(startS, it) } } else null
}

private fun checked(steps: List<RateStep?>, what: String): List<RateStep> {
    val read = steps.filterNotNull()
    demand(read.size == steps.size && read.firstOrNull()?.startS == 0.0) {
        "$what must have steps of a second and a rate, the first at second 0."
    }
    demand(
        read.zipWithNext().all { (a, b) ->
            a.startS < b.startS
        },
    ) { "$what must have steps in the order of their seconds." }
    demand(read.any { it.ratePerS > 0 }) { "$what must be greater than zero at some time." }
    return read
}

private fun readOnOff(line: CommandLine): Rate.OnOff {
    val numbers = line["on-off"].orEmpty().split(':').map { it.toDoubleOrNull() ?: -1.0 }
    val isSound = numbers.size == 4 && numbers.all { it >= 0 && it.isFinite() } &&
        numbers[0] + numbers[2] > 0 && numbers[1] > 0 && numbers[3] > 0
    demand(isSound) {
        "on-off must be expressed as [rate_on]:[mean_on_s]:[rate_off]:[mean_off_s], one rate and both times not zero."
    }
    return Rate.OnOff(Rate.State(numbers[0], numbers[1]), Rate.State(numbers[2], numbers[3]))
}

private fun Double?.isPositive() = this != null && this > 0 && isFinite()

private const val POISSON = "poisson"
private const val ON_OFF = "onoff"
private const val TOGETHER = "--arrivals and --rate must be given together."
private val processes = mapOf(
    POISSON to GapDistribution.EXPONENTIAL,
    "fixed" to GapDistribution.FIXED,
    "uniform" to GapDistribution.UNIFORM,
    "etc" to GapDistribution.ETC,
)
