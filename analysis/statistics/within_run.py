"""What one run tells of how well its own means and percentiles are known.

Requests that follow each other depend on each other, so that errors come from the means of batches
that are long enough not to.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

FEWEST_BATCHES = 5
MANY_BATCHES = 20
MSER_BATCH = 5
SINGLE_SIDED_95, DOUBLE_SIDED_95 = 1.645, 1.960


def error_of_ratio(sums: ArrayLike, weights: ArrayLike) -> float:
    r"""Return the standard error of a ratio of two totals from equal slices of a run.

    With b batches of sums :math:`s_i` and weights :math:`w_i`, and their ratio
    :math:`R = \sum s_i / \sum w_i`,

    .. math:: \sqrt{\frac{\sum (s_i - R w_i)^2}{b (b - 1)}} \Big/ \bar w

    Batches are single slices at first; two neighbours are joined until the lag-1 autocorrelation
    of :math:`s_i - R w_i` is within what independent ones have (:math:`1.645 / \sqrt b`), or until
    fewer than 20 would be left.

    Parameters
    ----------
    sums, weights
        Of every slice, such as the sum of its response times and its number of requests; weights
        of 1 make the ratio a mean. Shape (S,).

    Returns
    -------
    float
        NaN with fewer than 5 slices, or weights of 0 alone.

    References
    ----------
    Jain 1991, section 25.5.2 (batch means); Cochran 1977, chapter 6 (ratios).
    """
    parts = np.stack([np.asarray(sums, dtype=float), np.asarray(weights, dtype=float)])
    if parts.shape[1] < FEWEST_BATCHES or not parts[1].sum() > 0:
        return math.nan
    ratio = parts[0].sum() / parts[1].sum()
    while parts.shape[1] >= 2 * MANY_BATCHES and _follow_each_other(parts[0] - ratio * parts[1]):
        even = parts[:, : parts.shape[1] // 2 * 2]
        parts = even[:, ::2] + even[:, 1::2]
    batches = parts.shape[1]
    squares = ((parts[0] - ratio * parts[1]) ** 2).sum()
    return float(math.sqrt(squares / (batches * (batches - 1))) / parts[1].mean())


def _follow_each_other(residuals: np.ndarray) -> bool:
    centred = residuals - residuals.mean()
    total = (centred**2).sum()
    lag_1 = (centred[1:] * centred[:-1]).sum()
    return bool(lag_1 > SINGLE_SIDED_95 * total / math.sqrt(len(residuals)))


def transient_slices(sums: ArrayLike, weights: ArrayLike) -> int | None:
    r"""Return how many slices the transient at a run's beginning takes, by MSER-5.

    Of the ratios :math:`z_j` of batches of five slices those before d are cut where

    .. math:: \frac{1}{(n - d)^2} \sum_{j \ge d} (z_j - \bar z_d)^2

    is least, d at most n/2.

    Returns
    -------
    A multiple of 5. None if it cannot be told: fewer than four batches, one without a weight, or
    the least is found at n/2, so that the transient may be longer.

    References
    ----------
    White 1997, doi:10.1177/003754979706900601; Spratt 1998 (MSER-5).
    """
    parts = np.stack([np.asarray(sums, dtype=float), np.asarray(weights, dtype=float)])
    batches = parts.shape[1] // MSER_BATCH
    joined = parts[:, : batches * MSER_BATCH].reshape(2, batches, MSER_BATCH).sum(axis=2)
    if batches < 4 or not (joined[1] > 0).all():
        return None
    ratios = joined[0] / joined[1]
    most = batches // 2
    judged = [ratios[d:].var() / (batches - d) for d in range(most + 1)]
    least = int(np.argmin(judged))
    return None if least == most else least * MSER_BATCH


def error_of_percentile(edges: ArrayLike, counts: ArrayLike, percentile: float) -> float:
    r"""Return the standard error of a percentile of a run, from its histograms by second.

    The share of requests up to the percentile has an error e: that of the binomial distribution or,
    where it is larger, `error_of_ratio` over the seconds, since neighbouring requests are slow
    together. Ranks of shares p - 1.96 e and p + 1.96 e then bound the percentile, as order
    statistics do; the error is their distance over 2 * 1.96.

    Parameters
    ----------
    edges
        Largest value of every bin, rising, shape (B,).
    counts
        Requests by second and bin, shape (S, B).
    percentile
        In percent, between 0 and 100.

    Returns
    -------
    float
        In the unit of `edges`. NaN with fewer than 5 seconds, or where a bound lies beyond the
        first or the last request.

    References
    ----------
    Hahn & Meeker 1991, section 5.2 (ranks); Heidelberger & Lewis 1984, doi:10.1287/opre.32.1.185
    (of dependent values).
    """
    by_second, limits = np.asarray(counts, dtype=float), np.asarray(edges, dtype=float)
    cumulative = by_second.sum(axis=0).cumsum()
    share = percentile / 100
    if not cumulative.size or cumulative[-1] == 0:
        return math.nan
    requests = cumulative[-1]
    place = int(np.searchsorted(cumulative, share * requests))
    dependent = error_of_ratio(by_second[:, : place + 1].sum(axis=1), by_second.sum(axis=1))
    error = np.fmax(dependent, math.sqrt(share * (1 - share) / requests))
    ranks = (share + DOUBLE_SIDED_95 * error * np.array([-1, 1])) * requests
    if math.isnan(dependent) or ranks[0] < 1 or ranks[1] > requests - 1:
        return math.nan
    low, high = np.interp(ranks, cumulative, limits)
    return float((high - low) / (2 * DOUBLE_SIDED_95))
