"""The error of a run's mean, from batches of its slices that are long enough to be uncorrelated."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from analysis.statistics.student import FloatArray

LEAST_BATCHES = 10
TESTED_BATCHES = 2 * LEAST_BATCHES  # half as long as those whose spread counts
SIGNIFICANCE = 0.1
GROWTH = 1.4  # of the batches' length, from one that is correlated to the next that is tried


@dataclass(frozen=True, kw_only=True)
class BatchMeans:
    """The mean of a run with its standard error.

    Attributes
    ----------
    error : float
        Standard error of the mean; NaN where no batches are long enough to be uncorrelated.
    batches : int
        How many it comes from, at least `LEAST_BATCHES`; 0 where there are none.
    """

    mean: float
    error: float
    batches: int


def batch_means(totals: ArrayLike, weights: ArrayLike | None = None) -> BatchMeans:
    r"""Estimate the mean of a run that is cut into equal slices.

    The mean is a ratio of sums, :math:`R = \sum n_j / \sum d_j`, such as the times of all requests
    over their number, or, without weights, the mean of the slices. With batches b of k slices each
    and their residuals :math:`z_b = n_b - R d_b`, its standard error is

    .. math:: e = \frac{1}{\bar d} \sqrt{\frac{s_z^2}{B} \cdot \frac{1 + r}{1 - r}}

    where r is what correlation of neighbouring batches is left, if it is positive. Batches grow
    until those of half their length pass von Neumann's test against a positive correlation at
    10 %; if fewer than 10 are left then, the run is too short to tell its error, or it drifts.

    Parameters
    ----------
    totals, weights
        Numerators and denominators of the slices in order of time, finite, shape (S,) both.

    Raises
    ------
    ValueError
        Slices that are not finite, weights of another number, or weights of no sum.

    References
    ----------
    Fishman 1978, doi:10.1287/mnsc.24.5.510 (grouping until von Neumann's test passes); Tafazzoli &
    Wilson 2011, doi:10.1080/0740817X.2010.504688 (correction for the correlation left); Jain 1991,
    section 25.5.2 (batch means); Iglehart 1975 (ratios).
    """
    numerators = np.asarray(totals, dtype=float)
    denominators = np.ones_like(numerators) if weights is None else np.asarray(weights, dtype=float)
    if numerators.shape != denominators.shape or numerators.ndim != 1:
        raise ValueError(f"{numerators.shape} totals do not go with {denominators.shape} weights")
    if not np.isfinite([numerators, denominators]).all() or not denominators.sum() > 0:
        raise ValueError("slices must be finite, and their weights have a sum above 0")
    mean = float(numerators.sum() / denominators.sum())
    residuals = numerators - mean * denominators
    length = _uncorrelated_length(residuals)
    if length is None:
        return BatchMeans(mean=mean, error=np.nan, batches=0)
    batches = _batched(residuals, length)
    count = len(batches)
    error = np.sqrt(batches.var(ddof=1) / count * _inflation(batches)) / denominators.mean()
    return BatchMeans(mean=mean, error=float(error), batches=count)


def _uncorrelated_length(residuals: FloatArray) -> int | None:
    """Twice the shortest length at which batches pass the test."""
    length = 1
    while len(residuals) // length >= TESTED_BATCHES:
        if _p_value_of_correlation(_batched(residuals, length)) > SIGNIFICANCE:
            return 2 * length
        length = max(length + 1, int(length * GROWTH))
    return None


def _batched(residuals: FloatArray, length: int) -> FloatArray:
    """Return the means of batches of that length; slices left over at the start are in none."""
    count = len(residuals) // length
    means: FloatArray = residuals[len(residuals) - count * length :].reshape(count, length).mean(1)
    return means


def _p_value_of_correlation(batches: FloatArray) -> float:
    """Von Neumann 1941, one-sided: how often as much would be seen of uncorrelated batches."""
    squares = float(((batches - batches.mean()) ** 2).sum())
    if squares == 0:
        return 1.0
    count = len(batches)
    statistic = 1 - float((np.diff(batches) ** 2).sum()) / (2 * squares)
    return float(1 - ndtr(statistic * np.sqrt((count**2 - 1) / (count - 2))))


def _inflation(batches: FloatArray) -> float:
    away = batches - batches.mean()
    squares = float((away**2).sum())
    correlation = max(0.0, float(away[1:] @ away[:-1]) / squares) if squares else 0.0
    return (1 + correlation) / (1 - correlation)
