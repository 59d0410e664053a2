"""When a statement about a number holds, when it does not, and when that cannot be told."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from analysis.statistics.estimates import Estimate
from analysis.statistics.verdicts import Equality, equality


class Verdict(StrEnum):
    """What the numbers say of a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_TOLD = "cannot be told"


_OF_EQUALITY = {
    Equality.EQUAL: Verdict.HOLDS,
    Equality.DIFFERENT: Verdict.DOES_NOT_HOLD,
    Equality.CANNOT_BE_TOLD: Verdict.CANNOT_BE_TOLD,
}


@dataclass(frozen=True)
class Rule:
    """What must be true of a number.

    Attributes
    ----------
    text : str
        Such as ``at least 0.92``.
    judge : callable
        The verdict on an estimate whose error is known.
    """

    text: str
    judge: Callable[[Estimate], Verdict]

    def verdict(self, estimate: Estimate) -> Verdict:
        """Judge an estimate; without repetitions nothing can be told."""
        if not math.isfinite(estimate.value) or not math.isfinite(estimate.error):
            return Verdict.CANNOT_BE_TOLD
        return self.judge(estimate)


def at_least(least: float) -> Rule:
    """Hold where the whole confidence interval is not below `least`."""

    def judge(estimate: Estimate) -> Verdict:
        low, high = estimate.interval()
        return _of(low >= least, high < least)

    return Rule(f"at least {least:g}", judge)


def at_most(most: float) -> Rule:
    """Hold where the whole confidence interval is not above `most`."""

    def judge(estimate: Estimate) -> Verdict:
        low, high = estimate.interval()
        return _of(high <= most, low > most)

    return Rule(f"at most {most:g}", judge)


def equal_to(target: float, margin: float) -> Rule:
    """Hold where the number equals `target` within `margin`, a fraction of it.

    It does not hold where the number is different (`analysis.statistics.verdicts`).
    """

    def judge(estimate: Estimate) -> Verdict:
        return _OF_EQUALITY[equality(estimate, target, margin)]

    return Rule(f"{target:g} within {100 * margin:g}\N{NO-BREAK SPACE}%", judge)


def _of(holds: bool, fails: bool) -> Verdict:
    if holds:
        return Verdict.HOLDS
    return Verdict.DOES_NOT_HOLD if fails else Verdict.CANNOT_BE_TOLD
