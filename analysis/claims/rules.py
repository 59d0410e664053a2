"""Rules that a number must keep for a claim about it to be supported."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.statistics.estimates import Estimate
from analysis.statistics.student import CONFIDENCE, t_quantile
from analysis.statistics.verdicts import Bounds, Verdict, margin_bounds, verdict_within

__all__ = ["Rule", "Verdict", "at_least", "at_most", "equal_to"]


@dataclass(frozen=True)
class Rule:
    """A range that a number must lie in.

    Attributes
    ----------
    text : str
        Such as ``at least 0.92``.
    allowed : tuple of float
        The least and the most that the number may be.
    """

    text: str
    allowed: Bounds

    def verdict(self, estimate: Estimate) -> Verdict:
        """Judge an estimate; a number without a known error leaves the claim undecided."""
        if not math.isfinite(estimate.value) or not math.isfinite(estimate.error):
            return Verdict.UNDECIDED
        return verdict_within(estimate.interval(), self.allowed)

    def p_value(self, estimate: Estimate) -> float:
        r"""Return how probable so clear a result is if the truth lies on the edge of the range.

        The one-sided p value of Student's t against the edge that decides: of a number in the range
        the nearer edge (two one-sided tests), of one outside the edge that it lies beyond. The
        distance d to the edge, in standard errors, is scaled as intervals are, because campaigns
        stop where repetitions agree by luck (`analysis.statistics.intervals`):

        .. math:: p = P(T_f > c_f\, d), \quad c_f = t_{f;\,0.975} / t_{f;\,0.99}

        so that p is 0.025 where the edge lies on a bound of the interval that is shown. An error of
        infinitely many degrees of freedom was not estimated, and is not small by luck: c is 1.

        Returns
        -------
        float
            NaN where the error of the number is not known or 0.
        """
        if not (math.isfinite(estimate.value) and estimate.error > 0):
            return math.nan
        value, edges = estimate.value, np.array(self.allowed)
        if estimate.is_ratio:
            with np.errstate(divide="ignore"):  # no ratio is below 0
                value, edges = math.log(value), np.log(np.maximum(edges, 0))
        least, most = (edges - value) / estimate.error
        inside = least <= 0 <= most
        distance = min(-least, most) if inside else max(least, -most)
        return float(stdtr(estimate.freedom, -distance * _scale(estimate.freedom)))


def _scale(freedom: float) -> float:
    """Return by what a distance is multiplied to make up for campaigns that stop by luck."""
    if math.isinf(freedom):
        return 1.0
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2) / t_quantile(freedom))


def at_least(least: float) -> Rule:
    """Require that the number is not below `least`."""
    return Rule(f"at least {least:g}", (least, math.inf))


def at_most(most: float) -> Rule:
    """Require that the number is not above `most`."""
    return Rule(f"at most {most:g}", (-math.inf, most))


def equal_to(target: float, margin: float) -> Rule:
    """Require that the number equals `target` within `margin`, a fraction of the target."""
    text = f"{target:g} within {100 * margin:g}\N{NO-BREAK SPACE}%"
    return Rule(text, margin_bounds(target, margin))
