"""The largest arrival rate at which a limit holds, between one that passes and one that fails.

Rates are doubled or halved until one passes and one fails; then what lies between them is halved in
its logarithm. Rates that all their repetitions leave undecided belong to the interval. No form of
the curve is assumed but that it rises.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remote.campaign.planning.probe import Probe, Verdict

DIGITS = 3  # of a rate
MOST_RATES = 12  # until one passes and one fails
MOST_REFUSED = 1  # of them
LOWEST_PER_S = 1.0
FINEST = 3  # parts of the goal, in its logarithm: rates that are closer are not told apart


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What is asked of a search.

    Parameters
    ----------
    limit_ms : what the limited result has to stay below.
    goal : by how much the rate that fails may exceed the one that passes, such as 0.05.
    repetitions : of a rate, the fewest and the most.
    """

    limit_ms: float
    goal: float
    repetitions: tuple[int, int]

    def verdict(self, probe: Probe) -> Verdict:
        """Judge a rate."""
        return probe.verdict(self.limit_ms, self.repetitions)

    def is_confirmed(self, probe: Probe) -> bool:
        """Tell whether a rate was judged alike when it was measured again."""
        return probe.is_confirmed(self.limit_ms, self.repetitions)


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
    """The end of a search: ``bracket.low`` is the rate that is sought, if it is known.

    Parameters
    ----------
    why_not : what keeps it from being known, in a few words; empty if nothing does.
    needed : what it would take, in a few words, where that can be told.
    """

    bracket: Bracket
    why_not: str = ""
    needed: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the rate is known as precisely as was asked for."""
        return not self.why_not


def next_step(probes: Sequence[Probe], limit: Limit, start_per_s: float) -> Next | Found:
    """Return what is to be measured next, or how the search has ended.

    What passes and what fails in the end was judged by its interval, and alike when it was measured
    once more.

    Parameters
    ----------
    probes : of different rates, in any order.
    start_per_s : the first rate.
    """
    if not probes:
        return Next(rate_per_s=rounded(start_per_s))
    bracket = bracket_of(probes, limit)
    for probe in bracket.inside:
        if limit.verdict(probe) == Verdict.OPEN:
            return _again(probe)
    if bracket.passes is None or bracket.fails is None:
        return _wider(probes, bracket)
    if not bracket.is_known(limit.goal):
        rate = _between(bracket, limit.goal)
        if rate is not None:
            return Next(rate_per_s=rate)
    ends = [end for end in (bracket.passes, bracket.fails) if not limit.is_confirmed(end)]
    if ends:
        return _again(min(ends, key=lambda probe: probe.count))
    if bracket.is_known(limit.goal):
        return Found(bracket=bracket)
    return Found(
        bracket=bracket,
        why_not="rates cannot be told apart",
        needed=f"{_needed_repetitions(bracket, limit)} repetitions of a rate",
    )


def bracket_of(probes: Iterable[Probe], limit: Limit) -> Bracket:
    """Return what is known so far; rates that contradict each other are undecided."""
    probes = sorted(probes, key=lambda probe: probe.rate_per_s)
    verdicts = [limit.verdict(probe) for probe in probes]
    passing = [i for i, verdict in enumerate(verdicts) if verdict == Verdict.PASSES]
    failing = [i for i, verdict in enumerate(verdicts) if verdict == Verdict.FAILS]
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
    if sum(probe.given_up for probe in bracket.inside) > MOST_REFUSED:
        return Found(bracket=bracket, why_not="the checks refuse its runs")
    if len(rates) >= MOST_RATES or (missing == "passes" and half < LOWEST_PER_S):
        return Found(bracket=bracket, why_not=f"no rate {missing}")
    return Next(rate_per_s=half if missing == "passes" else twice)


def _between(bracket: Bracket, goal: float) -> float | None:
    """Return the middle of the widest gap beside what is undecided; None if all are too narrow."""
    rates = [probe.rate_per_s for probe in bracket.inside]
    gaps = [(bracket.low, rates[0]), (rates[-1], bracket.high)] if rates else []
    below, above = max(gaps or [(bracket.low, bracket.high)], key=lambda gap: gap[1] / gap[0])
    middle = rounded(math.sqrt(below * above))
    if math.log(above / below) < math.log1p(goal) / FINEST or not below < middle < above:
        return None
    return middle


def _needed_repetitions(bracket: Bracket, limit: Limit) -> int:
    """Return how many repetitions would do: the interval narrows with the root of their number."""
    wider = math.log(bracket.high / bracket.low) / math.log1p(limit.goal)
    return math.ceil(limit.repetitions[1] * wider**2)
