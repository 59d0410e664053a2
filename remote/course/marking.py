r"""Marks: each statement of a submission beside what was measured, with the rule that decided.

A stated interval is right if it is narrow enough to say something and meets the measured one. Two
95 % intervals of one number miss each other in fewer than 1 of 100 cases. The measured one is made
wider by `MARGIN`, by which the same system may differ from one day to the next. Of a gain the
direction must be right, too: an effect that is larger than `MARGIN` may not be stated as none, nor
none as an effect.

What was measured too badly to decide is marked as such, and is neither right nor wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan

from analysis.statistics import verdicts
from analysis.statistics.estimates import Estimate, mean_of, ratio_of
from records.sensitivity import AS_IT_IS
from remote.course.assignment import RESOURCES, SERVER_LINKS, SINGLE_LINKS
from remote.course.submission import Bounds, Submission

MARGIN = 0.03
WIDEST = 1.25
"""High over low of an interval that says something: ±11 % of its middle."""
_DOES = {1: "raises", -1: "lowers"}


class Verdict(StrEnum):
    """What a statement is."""

    RIGHT = "right"
    WRONG = "wrong"
    CANNOT_BE_TOLD = "cannot be told"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A statement, in words with intervals, its verdict and the rule that decided."""

    statement: str
    stated: str
    measured: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Throughputs of an assignment, op/s of each repetition, as it is and by change."""

    throughputs: Mapping[str, Sequence[float]]

    @property
    def capacity(self) -> Estimate:
        """Throughput at the largest load."""
        return mean_of(self.throughputs[AS_IT_IS])

    def gain(self, change: str, over: str = AS_IT_IS) -> Estimate:
        """Return the throughput with a change over that without, or with another one."""
        return ratio_of(self.throughputs[change], self.throughputs[over])


def mark(submission: Submission, measured: Measured) -> tuple[Mark, ...]:
    """Mark the statements of a submission, in their order."""
    bottleneck, change = submission.bottleneck, submission.change
    return (
        _of_bottleneck(bottleneck.resource, measured),
        _of_gain(bottleneck.resource, bottleneck.gain.bounds, measured),
        _of_interval("capacity", submission.capacity_ops_per_s.bounds, measured.capacity, "op/s"),
        _of_gain(change.of, change.gain.bounds, measured),
    )


def _of_bottleneck(named: str, measured: Measured) -> Mark:
    """Judge the bottleneck: enlarging it gains more than enlarging anything else as much.

    All servers' links are one only where that is not the doing of a single server: enlarging all
    enlarges the slow one, too.
    """
    gains = {resource: measured.gain(resource).value for resource in RESOURCES}
    slowest = max(SINGLE_LINKS, key=gains.__getitem__)
    is_single = _direction(measured.gain(slowest).interval()) > 0
    apart = [r for r in RESOURCES if r != SERVER_LINKS or not is_single]
    first, second = sorted(apart, key=gains.__getitem__, reverse=True)[:2]
    told = f"{first} gains {_text(measured.gain(first))}, {second} {_text(measured.gain(second))}"

    def verdict(verdict: Verdict, reason: str) -> Mark:
        return Mark(
            statement="bottleneck", stated=named, measured=told, verdict=verdict, reason=reason
        )

    if not (_gains_more(measured, first, AS_IT_IS) and _gains_more(measured, first, second)):
        if named in apart and not _gains_more(measured, first, named):
            return verdict(Verdict.CANNOT_BE_TOLD, "no change gains more than all others")
        return verdict(Verdict.WRONG, f"{first} gains more than {named}")
    if named == first:
        return verdict(Verdict.RIGHT, "its enlargement gains more than any other")
    if named not in apart:
        return verdict(Verdict.WRONG, f"only {slowest} is slow, not all servers' links")
    return verdict(Verdict.WRONG, f"{first} gains more")


def _of_gain(change: str, stated: Bounds, measured: Measured) -> Mark:
    estimate = measured.gain(change)
    made = _of_interval(f"gain of {change}", stated, estimate, "")
    if made.verdict is not Verdict.RIGHT:
        return made
    low, high = stated
    direction = _direction(estimate.interval())
    if direction and not (low > 1 if direction > 0 else high < 1):
        return replace(made, verdict=Verdict.WRONG, reason=f"it {_DOES[direction]} throughput")
    is_none = verdicts.verdict_equal(estimate.interval(), 1.0, MARGIN) is verdicts.Verdict.SUPPORTED
    if is_none and _direction(stated):
        reason = f"it changes throughput by less than {MARGIN:.0%}"
        return replace(made, verdict=Verdict.WRONG, reason=reason)
    return made


def _of_interval(statement: str, stated: Bounds, estimate: Estimate, unit: str) -> Mark:
    low, high = stated
    measured = estimate.interval()

    def verdict(verdict: Verdict, reason: str) -> Mark:
        return Mark(
            statement=statement,
            stated=f"{low:.4g} to {high:.4g} {unit}".strip(),
            measured=f"{_text(estimate)} {unit}".strip(),
            verdict=verdict,
            reason=reason,
        )

    if high > WIDEST * low:
        return verdict(Verdict.WRONG, f"too wide: high is more than {WIDEST} times low")
    if any(map(isnan, measured)) or measured[1] > WIDEST * measured[0]:
        return verdict(Verdict.CANNOT_BE_TOLD, "what was measured is not known well enough")
    if high < measured[0] * (1 - MARGIN) or low > measured[1] * (1 + MARGIN):
        return verdict(Verdict.WRONG, f"misses what was measured by more than {MARGIN:.0%}")
    return verdict(Verdict.RIGHT, "meets what was measured")


def _direction(gain: Bounds) -> int:
    low, high = gain
    return int(low > 1 + MARGIN) - int(high < 1 - MARGIN)


def _gains_more(measured: Measured, change: str, other: str) -> bool:
    return measured.gain(change, over=other).interval()[0] > 1


def _text(estimate: Estimate) -> str:
    low, high = estimate.interval()
    return f"{estimate.value:.4g} [{low:.4g}, {high:.4g}]"
