r"""Equal, different, or not to be told: verdicts by equivalence, not by overlapping intervals.

A test that finds no difference has not found equality: with few or bad repetitions it finds
nothing. Equality is shown by two one-sided tests, both at 5 %, that the number is not below the
margin and not above it (Schuirmann 1987, doi:10.1007/BF01068419), which is as much as the 90 %
interval lying within the margin. What is not shown to be equal is different where the 95 %
interval does not hold the target. What is left has an interval that reaches from the target
beyond the margin: it is wider than the margin, and nothing can be told.
"""

from __future__ import annotations

import math
from enum import StrEnum

from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import CONFIDENCE

Bounds = tuple[float, float]

_TWO_ONE_SIDED = 2 * CONFIDENCE - 1


class Equality(StrEnum):
    """What the numbers say of a number and its target."""

    EQUAL = "equal"
    DIFFERENT = "different"
    CANNOT_BE_TOLD = "cannot be told"


def equality(estimate: Estimate, target: float, margin: float) -> Equality:
    """Judge whether a number equals its target within a margin.

    Parameters
    ----------
    estimate
        Without repetitions its error is not known, and nothing can be told.
    target
        Not 0.
    margin
        A fraction of the target, above 0.

    Raises
    ------
    ValueError
        A target or a margin out of its domain.
    """
    return equality_by_bounds(
        estimate.interval(_TWO_ONE_SIDED), estimate.interval(), target, margin
    )


def equality_by_bounds(inner: Bounds, outer: Bounds, target: float, margin: float) -> Equality:
    """Judge as `equality` does, by intervals that are known already.

    Parameters
    ----------
    inner, outer
        The 90 % and the 95 % interval. Where only the latter is known it may stand for both: the
        two one-sided tests are then at 2.5 %.
    """
    if not (math.isfinite(target) and target != 0):
        raise ValueError(f"target must be a number other than 0, got {target}")
    if not margin > 0:
        raise ValueError(f"margin must be > 0, got {margin}")
    if any(math.isnan(bound) for bound in (*inner, *outer)):
        return Equality.CANNOT_BE_TOLD
    least, most = sorted((target * (1 - margin), target * (1 + margin)))
    if least <= inner[0] and inner[1] <= most:
        return Equality.EQUAL
    holds_target = outer[0] <= target <= outer[1]
    return Equality.CANNOT_BE_TOLD if holds_target else Equality.DIFFERENT
