"""How well a run tells a percentile: order statistics of its histogram."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from analysis.results.histograms import histogram_percentiles
from analysis.statistics.intervals import CONFIDENCE


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
