"""What the machine itself takes of a response time, from runs at several time dilations.

The machine's own time for a request is the same on the clock whatever k, so that the undilated
response time is

.. math:: R(k) = R_0 + m / k

and the machine's share of it (m / k) / R(k).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import chdtri, stdtrit

from analysis.statistics.student import CONFIDENCE
from remote.campaign.planning.cell import Measured

RESPONSE_TIME = "client_response_time_ms"
ERROR = f"{RESPONSE_TIME}_error"
REFUSED = 0.01  # of the lines that are right


@dataclass(frozen=True, kw_only=True)
class Point:
    """The mean undilated response time at one k and its standard error, both in ms."""

    time_dilation: float
    value: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Line:
    """R(k) = intercept + slope / k, by weighted least squares.

    Parameters
    ----------
    tried : the k that it goes through, the smallest first; it tells nothing of smaller ones.
    intercept, slope : R_0 and m, in ms.
    covariance : of intercept and slope, shape (2, 2).
    reach : how many standard errors away the bounds of a 95 % interval are.
    """

    tried: tuple[float, ...]
    intercept: float
    slope: float
    covariance: tuple[tuple[float, ...], ...]
    reach: float

    @classmethod
    def through(cls, points: Sequence[Point], freedom: float) -> Self:
        """Fit two points or more, whose errors have `freedom` degrees of freedom."""
        tried = tuple(point.time_dilation for point in points)
        weights = np.array([point.error for point in points]) ** -2.0
        design = np.column_stack([np.ones(len(tried)), 1 / np.array(tried)])
        covariance = np.linalg.inv(design.T @ (design * weights[:, None]))
        values = np.array([point.value for point in points])
        intercept, slope = covariance @ design.T @ (weights * values)
        return cls(
            tried=tried,
            intercept=float(intercept),
            slope=float(slope),
            covariance=tuple(tuple(float(x) for x in row) for row in covariance),
            reach=float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) if freedom else math.inf,
        )

    def response_time_ms(self, time_dilation: float) -> float:
        """Return R(k)."""
        return self.intercept + self.slope / time_dilation

    @property
    def odds(self) -> float:
        """The machine's time at k = 1 over all other time, m / R_0."""
        return max(self.slope, 0.0) / self.intercept if self.intercept > 0 else math.inf

    def odds_interval(self) -> tuple[float, float]:
        """Return the bounds of its 95 % interval (Fieller 1954); open if R_0 may be nothing."""
        (of_intercept, of_both), (_, of_slope) = self.covariance
        square = self.reach**2
        a = self.intercept**2 - square * of_intercept
        if self.intercept <= 0 or not a > 0:
            return 0.0, math.inf
        b = self.intercept * self.slope - square * of_both
        c = self.slope**2 - square * of_slope
        root = math.sqrt(max(b**2 - a * c, 0.0))
        return max((b - root) / a, 0.0), max((b + root) / a, 0.0)


def share_at(odds: float, time_dilation: float) -> float:
    """Return the machine's share of a response time at k, 0 to 1, from its odds at k = 1."""
    return 1.0 if math.isinf(odds) else odds / (odds + time_dilation)


def odds_from(share: float, time_dilation: float) -> float:
    """Return the machine's odds at k = 1 from its share at k."""
    return math.inf if share >= 1 else time_dilation * share / (1 - share)


def machine_line(runs: Iterable[Measured]) -> Line | None:
    """Fit the line that tells the machine's time; None with fewer than two k.

    Where no line fits all k the smallest are left out one by one: the machine did more there than
    take its time for each request, as when its CPUs were the limit.
    """
    points, freedom = _points(runs)
    while len(points) > 1:
        line = Line.through(points, freedom)
        misfit = sum(
            ((point.value - line.response_time_ms(point.time_dilation)) / point.error) ** 2
            for point in points
        )
        if misfit <= _largest_misfit(len(points) - 2, freedom):
            return line
        del points[0]
    return None


def _largest_misfit(spare: int, freedom: float) -> float:
    """Return what squared standardised residuals of a line that is right add up to at most.

    Runs that do not tell their errors cannot tell either whether a line fits more than two k.
    """
    if not spare:
        return math.inf
    return float(chdtri(spare, REFUSED)) if math.isinf(freedom) else 0.0


def _points(runs: Iterable[Measured]) -> tuple[list[Point], float]:
    """Return the mean of each k, the smallest first, and their errors' degrees of freedom.

    Relative errors are those that runs tell of themselves, or larger where runs of one k differ by
    more. If any run tells none, only what runs of one k differ by tells.
    """
    by_k: dict[float, list[Measured]] = {}
    for run in sorted(runs, key=lambda run: run.time_dilation):
        if run.results.get(RESPONSE_TIME, 0.0) > 0:
            by_k.setdefault(run.time_dilation, []).append(run)
    values = [np.array([run.results[RESPONSE_TIME] for run in same]) for same in by_k.values()]
    errors = [np.array([run.results.get(ERROR, 0.0) for run in same]) for same in by_k.values()]
    told = all((of_k > 0).all() for of_k in errors)
    if not told:
        errors = values  # each as uncertain as the others, in proportion
    spare = sum(len(of_k) - 1 for of_k in values)
    off = sum(
        float((((of_k - of_k.mean()) / error) ** 2).sum())
        for of_k, error in zip(values, errors, strict=True)
    )
    scale = math.sqrt(off / spare) if spare and off else 1.0
    if told:
        scale = max(scale, 1.0)
    points = [
        Point(
            time_dilation=k,
            value=float(of_k.mean()),
            error=scale * math.hypot(*error) / len(of_k),
        )
        for k, of_k, error in zip(by_k, values, errors, strict=True)
    ]
    return points, math.inf if told else spare
