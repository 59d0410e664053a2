"""A number with what is known of its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.student import t_quantile


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A mean, or a ratio of means, of repetitions.

    Attributes
    ----------
    error : float
        Standard error of the value, or, of a ratio, of its logarithm; NaN where a side has fewer
        than two repetitions.
    freedom : float
        Degrees of freedom of the error.
    """

    value: float
    error: float
    freedom: float
    is_ratio: bool = False

    def interval(self) -> tuple[float, float]:
        """Return the bounds of the 95 % confidence interval; NaN where the error is not known."""
        if self.error == 0:
            return self.value, self.value
        reach = float(t_quantile(self.freedom) * self.error)
        if self.is_ratio:
            return self.value * float(np.exp(-reach)), self.value * float(np.exp(reach))
        return self.value - reach, self.value + reach


def mean_of(values: Sequence[float]) -> Estimate:
    """Estimate a mean from repetitions, missing ones left out (Jain 1991, section 13.2)."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if not len(known):
        return Estimate(value=np.nan, error=np.nan, freedom=np.nan)
    error = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else np.nan
    return Estimate(value=float(known.mean()), error=error, freedom=len(known) - 1)


def exact(value: float) -> Estimate:
    """Take a number as it is: a count, or a share of one, which has no error."""
    return Estimate(value=value, error=0.0, freedom=np.inf)


def ratio_of(numerators: Sequence[float], denominators: Sequence[float]) -> Estimate:
    r"""Estimate a ratio of two means, its error by the delta method on its logarithm.

    .. math:: s^2 = \frac{s_n^2}{r_n \bar n^2} + \frac{s_d^2}{r_d \bar d^2}

    with Welch's degrees of freedom (Jain 1991, section 13.4).
    """
    sides = [mean_of(numerators), mean_of(denominators)]
    relative = np.array([side.error / side.value for side in sides]) ** 2
    freedom = np.array([side.freedom for side in sides])
    total = relative.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        welch = float(total**2 / (relative**2 / freedom).sum()) if total else float(freedom.min())
    return Estimate(
        value=sides[0].value / sides[1].value,
        error=float(np.sqrt(total)),
        freedom=welch,
        is_ratio=True,
    )
