r"""Supported, refuted or undecided: verdicts on statements about a number, by its interval alone.

A test that finds no difference has not found equality: with few or bad repetitions it finds
nothing. A number equals its target within a margin where its whole interval lies inside the margin
(two one-sided tests, Schuirmann 1987, doi:10.1007/BF01068419). It does not where its whole interval
lies outside. Otherwise the interval reaches over an edge of the margin, and the question is open.
"""

from __future__ import annotations

import math
from enum import StrEnum

Bounds = tuple[float, float]


class Verdict(StrEnum):
    """Verdict of an interval on a statement."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


def verdict_within(interval: Bounds, allowed: Bounds) -> Verdict:
    """Judge the statement that a number lies between two bounds.

    The statement is ``supported`` if the whole interval lies within `allowed`, ``refuted`` if the
    whole interval lies outside, else ``undecided``.

    Parameters
    ----------
    interval
        95 % confidence interval of the number; NaN where its error is not known.
    allowed
        The least and the most that the number may be, each possibly infinite.
    """
    low, high = interval
    least, most = allowed
    if math.isnan(low) or math.isnan(high):
        return Verdict.UNDECIDED
    if least <= low and high <= most:
        return Verdict.SUPPORTED
    return Verdict.REFUTED if high < least or low > most else Verdict.UNDECIDED


def verdict_equal(interval: Bounds, target: float, margin: float) -> Verdict:
    """Judge the statement that a number equals its target within a margin (`margin_bounds`)."""
    return verdict_within(interval, margin_bounds(target, margin))


def margin_bounds(target: float, margin: float) -> Bounds:
    """Return the least and the most that equals a target within a margin.

    Parameters
    ----------
    target
        Not 0.
    margin
        A fraction of the target, above 0.
    """
    if not (math.isfinite(target) and target != 0):
        raise ValueError(f"target must be a number other than 0, got {target}")
    if not margin > 0:
        raise ValueError(f"margin must be > 0, got {margin}")
    least, most = sorted((target * (1 - margin), target * (1 + margin)))
    return least, most
