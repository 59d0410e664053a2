"""Whether something grows: linear regression over time, and what its interval allows to say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
FLAT, GROWS, UNKNOWN = "flat", "GROWS", "cannot be told"


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A slope and its interval, in units per minute.

    Attributes
    ----------
    bound : float
        The slope up to which nothing is said to grow.
    """

    slope: float
    low: float
    high: float
    bound: float

    @property
    def verdict(self) -> str:
        """What can be said.

        Flat: the interval includes 0 or ends below the bound. Growing: neither. If it includes 0
        only for being wide, more than ten times the bound, it cannot be told.
        """
        if self.high <= self.bound:
            return FLAT
        if not self.low <= 0:
            return GROWS
        return FLAT if self.high <= 10 * self.bound else UNKNOWN

    def __str__(self) -> str:
        return f"{self.slope:+.3g} [{self.low:+.3g}, {self.high:+.3g}]"


def second_half(
    times_s: Sequence[float], values: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return the part of a series that lies behind the middle of its time."""
    middle_s = (times_s[0] + times_s[-1]) / 2
    kept = [(t, v) for t, v in zip(times_s, values, strict=True) if t >= middle_s]
    return [t for t, _ in kept], [v for _, v in kept]


def span_means(
    times_s: Sequence[float], values: Sequence[float], span_s: float
) -> tuple[list[float], list[float]]:
    """Return the means over whole spans of time, which depend less on each other than neighbours.

    Least squares takes its points for independent: what changes slowly would seem better known
    than it is (batch means; Jain 1991, section 25.5.3).
    """
    spans: dict[int, list[tuple[float, float]]] = {}
    for t, v in zip(times_s, values, strict=True):
        spans.setdefault(int((t - times_s[0]) // span_s), []).append((t, v))
    full = max(map(len, spans.values()))
    means = [np.mean(points, axis=0) for points in spans.values() if 2 * len(points) > full]
    return [float(t) for t, _ in means], [float(v) for _, v in means]


def trend(
    times_s: Sequence[float], values: Sequence[float], bound: float, *, together: int = 1
) -> Trend:
    """Fit a straight line by least squares.

    Parameters
    ----------
    times_s : sequence of float
        Shape (n,), seconds.
    values : sequence of float
        Shape (n,), any unit.
    bound : float
        In that unit per minute, positive.
    together : int
        How many trends are judged together: all their intervals hold with 95 % (Bonferroni).

    Raises
    ------
    ValueError
        There are fewer than three points, so that nothing is known of their noise.
    """
    if len(values) < 3:
        raise ValueError(f"a trend needs at least 3 points, got {len(values)}")
    fit = stats.linregress([t / 60 for t in times_s], values)
    half = stats.t.ppf(1 - (1 - CONFIDENCE) / together / 2, len(values) - 2) * fit.stderr
    if math.isnan(half):
        raise ValueError(f"no trend over the times {times_s[:3]}: they are all the same")
    return Trend(slope=fit.slope, low=fit.slope - half, high=fit.slope + half, bound=bound)
