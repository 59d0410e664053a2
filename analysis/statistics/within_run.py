"""Percentiles of one run with their intervals, from its histograms by second."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from analysis.results.histograms import histogram_percentiles
from analysis.statistics.student import CONFIDENCE

FEWEST_BATCHES, MOST_BATCHES = 5, 10
LARGEST_PERCENT = 90.0  # slow requests come together: a run has too few such times for the tail
FEWEST_ABOVE = 2000


@dataclass(frozen=True, kw_only=True)
class Percentile:
    """A percentile of one run with its confidence interval, in ms.

    Attributes
    ----------
    low_ms, high_ms : float
        Of the 95 % confidence interval; NaN where the samples are too few for a bound.
    error_ms : float
        Standard error that the interval implies; NaN without both bounds.
    """

    value_ms: float
    low_ms: float
    high_ms: float
    error_ms: float


def percentile_of_seconds(edges_ms: ArrayLike, counts: ArrayLike, percent: float) -> Percentile:
    """Read a percentile of a run and its interval from histograms of successive seconds.

    The interval is that of order statistics, of as many requests as `independent_requests` says.
    Percentiles above the 90th, and those with fewer than 2 000 requests above them, have no
    interval. Slow requests follow each other, so that a run of some seconds contains too few
    independent groups of them: only 50 to 87 % of such intervals hold the percentile of an M/M/1
    queue of utilization 0.8 (docs/explanation/precision.md). The interval of a 99th percentile
    comes from repetitions.

    Parameters
    ----------
    edges_ms
        Largest time of every bin, rising, shape (B,).
    counts
        Requests by second and bin, shape (S, B).
    percent
        In percent, above 0 and below 100.
    """
    by_second = np.asarray(counts, dtype=float)
    totals = by_second.sum(axis=0)
    place = int(np.searchsorted(totals.cumsum(), percent / 100 * totals.sum()))
    above, requests = by_second[:, place + 1 :].sum(axis=1), by_second.sum(axis=1)
    histogram = pd.DataFrame({"upper_edge_ms": edges_ms, "count": totals.astype("int64")})
    is_tail = percent > LARGEST_PERCENT or above.sum() < FEWEST_ABOVE
    independent = math.nan if is_tail else independent_requests(above, requests)
    return percentile_interval(histogram, percent, independent)


def independent_requests(above: ArrayLike, counts: ArrayLike) -> float:
    r"""Tell how many independent requests tell as much of a percentile as those of some seconds.

    Ten batches of seconds, or fewer of one second each, have :math:`z_b` requests above the
    percentile more than the share q of all would give them, and :math:`\bar n` requests. The
    share's standard error and the number are

    .. math::

        e = \frac{1}{\bar n} \sqrt{\frac{\sum z_b^2}{B (B - 1)}}, \quad n^* = \frac{q (1 - q)}{e^2}

    So few batches tell an error badly. It is widened as Student's distribution is beside the normal
    one, so that a normal interval covers. Seconds are too few for a test of their correlation, such
    as the slices' (`analysis.statistics.precision.batches`), which cannot tell in one case of ten.

    The number is at most that of the requests; NaN with fewer than 5 seconds, or if no request is
    above.

    Parameters
    ----------
    above, counts
        Requests above the percentile, and all requests, by second, shape (S,).

    References
    ----------
    Schmeiser 1982, doi:10.1287/opre.30.3.556 (10 to 30 batches); Woodruff 1952,
    doi:10.1080/01621459.1952.10483443 (effective number); Jain 1991, section 13.2 (Student).
    """
    seconds = np.stack([np.asarray(above, dtype=float), np.asarray(counts, dtype=float)])
    samples, number = seconds[1].sum(), min(seconds.shape[1], MOST_BATCHES)
    if number < FEWEST_BATCHES or not 0 < seconds[0].sum() < samples:
        return math.nan
    share = seconds[0].sum() / samples
    batches = [part.sum(axis=1) for part in np.array_split(seconds, number, axis=1)]
    squares = sum((slow - share * requests) ** 2 for slow, requests in batches)
    tail = (1 + CONFIDENCE) / 2
    widened = stdtrit(number - 1, tail) / stdtrit(np.inf, tail)
    error = widened * math.sqrt(squares / (number * (number - 1))) / (samples / number)
    return float(min(samples, share * (1 - share) / error**2)) if error else float(samples)


def percentile_interval(histogram: pd.DataFrame, percent: float, effective: float) -> Percentile:
    r"""Read a percentile and its interval from a histogram.

    The number of n independent samples below the p-quantile is binomial. The interval reaches from
    the sample of rank l to that of rank u, with

    .. math:: P(B < l) \le 0.025, \quad P(B \ge u) \le 0.025, \quad B \sim \mathrm{Bin}(n, p)

    Requests that follow each other are not independent: they tell as much as an effective number of
    independent ones, whose ranks are stretched to all.

    Parameters
    ----------
    histogram
        Columns `upper_edge_ms`, `count`, in rising order.
    percent
        In percent, above 0 and below 100.
    effective
        Number of independent requests that tell as much of the percentile; with NaN there is no
        interval.

    References
    ----------
    Hahn & Meeker 1991, section 5.2 (order statistics); Woodruff 1952,
    doi:10.1080/01621459.1952.10483443 (effective number).
    """
    if not 0 < percent < 100:
        raise ValueError(f"the percentile must be in (0, 100), got {percent}")
    samples = int(histogram["count"].sum())
    if effective < 0:
        raise ValueError(f"the effective number must not be below 0, got {effective}")
    value = float(histogram_percentiles(histogram, [percent])[0])
    if np.isnan(effective) or not samples:
        return Percentile(value_ms=value, low_ms=np.nan, high_ms=np.nan, error_ms=np.nan)
    number = int(min(effective, samples))
    low, high = (_of_rank(histogram, rank, number) for rank in _ranks(number, percent / 100))
    error = (high - low) / (2 * ndtri((1 + CONFIDENCE) / 2))
    return Percentile(value_ms=value, low_ms=low, high_ms=high, error_ms=float(error))


def _ranks(number: int, share: float) -> tuple[int, int]:
    """Ranks of the interval's bounds; 0, or above the number, where there is no such sample."""
    from scipy.stats import binom  # here: half a second, for every kernel

    tail = (1 - CONFIDENCE) / 2
    if not number:
        return 0, 1
    return int(binom.ppf(tail, number, share)), int(binom.ppf(1 - tail, number, share)) + 1


def _of_rank(histogram: pd.DataFrame, rank: int, number: int) -> float:
    if not 1 <= rank <= number:
        return np.nan
    return float(histogram_percentiles(histogram, [100 * rank / number])[0])
