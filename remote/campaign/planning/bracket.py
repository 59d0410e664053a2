"""The largest arrival rate at which a limit holds, between one that passes and one that fails.

Rates are doubled or halved until one passes and one fails; then what lies between them is halved in
its logarithm. Rates that all their repetitions leave undecided belong to the interval, of which no
more is assumed than that the curve rises; where it is wider than was asked for, a straight line
through its rates may tell more (`crossing`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from analysis.statistics.student import CONFIDENCE
from remote.campaign.planning.probe import Judgement, Limit, Probe

DIGITS = 3  # of a rate
LOWEST_PER_S, HIGHEST_PER_S = 1.0, 1e6  # where doubling and halving end
MOST_UNDECIDED = 3  # rates, where none passes or none fails
MOST_REFUSED = 1  # of them
UNTOLD = "rates do not differ significantly"
FEWEST_RATES = 3  # that a line is laid through
STRAIGHT = 1.3  # times the lowest of its rates: so far a curve is taken for a line
FINEST = 3  # parts of the goal, in its logarithm: rates that are closer count as equal


@dataclass(frozen=True, kw_only=True)
class Next:
    """What is to be measured: a repetition of a rate."""

    rate_per_s: float
    repetition: int = 1


@dataclass(frozen=True, kw_only=True)
class Bracket:
    """What is known of the rate that is sought.

    Parameters
    ----------
    passes : the highest rate that passed, below all that failed; None if there is none.
    fails : the lowest rate that failed, above all that passed.
    inside : what was tried between them; each may be the one.
    """

    passes: Probe | None
    fails: Probe | None
    inside: tuple[Probe, ...] = ()

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval of the rate; 0 where none passed."""
        return self.passes.rate_per_s if self.passes else 0.0

    @property
    def high(self) -> float:
        """Upper end of the interval; infinite where none failed."""
        return self.fails.rate_per_s if self.fails else math.inf

    def is_known(self, goal: float) -> bool:
        """Tell whether the interval is as narrow as is asked for."""
        return self.high <= (1 + goal) * self.low


@dataclass(frozen=True, kw_only=True)
class Found:
    """The end of a search: ``low`` is the rate that is sought, if it is known.

    Parameters
    ----------
    low, high : 95 % interval of the rate.
    why_not : what keeps it from being known, in a few words; empty if nothing does.
    needed : what it would take, in a few words, where that can be told.
    """

    bracket: Bracket
    low: float
    high: float
    why_not: str = ""
    needed: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the rate is known as precisely as was asked for."""
        return not self.why_not


def next_step(probes: Sequence[Probe], limit: Limit, start_per_s: float) -> Next | Found:
    """Return what is to be measured next, or how the search has ended.

    What passes and what fails in the end was judged by its interval, and alike when it was measured
    once more. `probes` are of different rates, in any order.
    """
    if not probes:
        return Next(rate_per_s=rounded(start_per_s))
    bracket = bracket_of(probes, limit)
    for probe in bracket.inside:
        if probe.judged(limit) == Judgement.OPEN:
            return _again(probe)
    if bracket.passes is None or bracket.fails is None:
        return _wider(probes, bracket)
    if not bracket.is_known(limit.goal):
        rate = _between(bracket, limit.goal)
        if rate is not None:
            return Next(rate_per_s=rate)
    ends = [end for end in (bracket.passes, bracket.fails) if not end.is_confirmed(limit)]
    if ends:
        return _again(min(ends, key=lambda probe: probe.count))
    low, high = _interval(bracket, limit)
    if high <= (1 + limit.goal) * low:
        return Found(bracket=bracket, low=low, high=high)
    wider = math.log(high / low) / math.log1p(limit.goal)
    needed = math.ceil(limit.repetitions[1] * wider**2)  # the width falls with the root of them
    return Found(
        bracket=bracket,
        low=low,
        high=high,
        why_not=UNTOLD,
        needed=f"about {needed} repetitions of a rate",
    )


def unknown(bracket: Bracket, why_not: str, needed: str = "") -> Found:
    """Return a search that ends with what its bracket tells."""
    return Found(
        bracket=bracket, low=bracket.low, high=bracket.high, why_not=why_not, needed=needed
    )


def bracket_of(probes: Iterable[Probe], limit: Limit) -> Bracket:
    """Return what is known so far; rates that contradict each other are undecided."""
    probes = sorted(probes, key=lambda probe: probe.rate_per_s)
    judgements = [probe.judged(limit) for probe in probes]
    passing = [i for i, judged in enumerate(judgements) if judged == Judgement.PASSES]
    failing = [i for i, judged in enumerate(judgements) if judged == Judgement.FAILS]
    first_failing = min(failing, default=len(probes))
    last_passing = max(passing, default=-1)
    low = max((i for i in passing if i < first_failing), default=-1)
    high = min((i for i in failing if i > last_passing), default=len(probes))
    return Bracket(
        passes=probes[low] if low >= 0 else None,
        fails=probes[high] if high < len(probes) else None,
        inside=tuple(probes[low + 1 : high]),
    )


def rates_left(bracket: Bracket, goal: float) -> int | None:
    """Return how many rates bisection still takes; None where no rate passed, or none failed."""
    if not 0 < bracket.low < bracket.high < math.inf:
        return None
    widths = math.log(bracket.high / bracket.low) / math.log1p(goal)
    return max(0, math.ceil(math.log2(widths)))


def rounded(rate_per_s: float) -> float:
    """Round a rate to what its folder's name tells of it."""
    return float(f"{rate_per_s:.{DIGITS}g}")


def _again(probe: Probe) -> Next:
    return Next(rate_per_s=probe.rate_per_s, repetition=probe.next_repetition)


def _wider(probes: Sequence[Probe], bracket: Bracket) -> Next | Found:
    """Return the next rate where none passes, or none fails."""
    rates = [probe.rate_per_s for probe in probes]
    half, twice = rounded(min(rates) / 2), rounded(max(rates) * 2)
    missing = "passes" if bracket.passes is None else "fails"
    if len(bracket.inside) > MOST_UNDECIDED:
        return unknown(bracket, UNTOLD)
    if sum(probe.given_up for probe in bracket.inside) > MOST_REFUSED:
        return unknown(bracket, "the checks refuse its runs")
    rate = half if missing == "passes" else twice
    if not LOWEST_PER_S <= rate <= HIGHEST_PER_S:
        return unknown(bracket, f"no rate {missing}")
    return Next(rate_per_s=rate)


def _between(bracket: Bracket, goal: float) -> float | None:
    """Return the middle of the widest gap beside what is undecided; None if all are too narrow."""
    rates = [probe.rate_per_s for probe in bracket.inside]
    gaps = [(bracket.low, rates[0]), (rates[-1], bracket.high)] if rates else []
    below, above = max(gaps or [(bracket.low, bracket.high)], key=lambda gap: gap[1] / gap[0])
    middle = rounded(math.sqrt(below * above))
    if math.log(above / below) < math.log1p(goal) / FINEST or not below < middle < above:
        return None
    return middle


def _interval(bracket: Bracket, limit: Limit) -> tuple[float, float]:
    """Return the interval of the bracket, or what a line through its rates leaves of it."""
    assert bracket.passes and bracket.fails
    rates = [bracket.passes, *bracket.inside, bracket.fails]
    line = crossing([rate for rate in rates if rate.count and rate.keeps_up()], limit.limit_ms)
    if bracket.is_known(limit.goal) or line is None:
        return bracket.low, bracket.high
    return max(bracket.low, line[0]), min(bracket.high, line[1])


def crossing(probes: Sequence[Probe], limit_ms: float) -> tuple[float, float] | None:
    r"""Return the 95 % interval of the rate at which what is limited crosses its limit.

    A line goes through the logarithms of rates and of what was measured, each repetition a point.
    A rate :math:`x_0` is in the interval where the line's own interval holds the limit :math:`y_0`:

    .. math::

        (a + b (x_0 - \bar x) - y_0)^2 \le t_{0.975;\,n-2}^2\, s^2
        \left(\frac{1}{n} + \frac{(x_0 - \bar x)^2}{S_{xx}}\right)

    (Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x; Draper & Smith 1998, section 3.2).
    None where there are too few rates, too far apart, or no slope to be sure of.
    """
    points = [(probe.rate_per_s, value) for probe in probes for value in probe.values_ms]
    rates = {rate for rate, _ in points}
    if len(rates) < FEWEST_RATES or max(rates) > STRAIGHT * min(rates):
        return None
    x, y = np.log(np.array(points)).T
    count, from_mean = len(points), x - x.mean()
    spread = float(from_mean @ from_mean)
    slope = float(from_mean @ y) / spread
    residuals = y - y.mean() - slope * from_mean
    quantile = float(stdtrit(count - 2, (1 + CONFIDENCE) / 2))
    allowed = quantile**2 * float(residuals @ residuals) / (count - 2)
    offset = float(y.mean()) - math.log(limit_ms)
    # The inequality as one in d = x0 - mean(x): square d^2 + 2 slope offset d + ... <= 0.
    square = slope**2 - allowed / spread
    if slope <= 0 or square <= 0:
        return None
    middle = float(x.mean()) - slope * offset / square
    half = math.sqrt(allowed * (square / count + offset**2 / spread)) / square
    return math.exp(middle - half), math.exp(middle + half)
