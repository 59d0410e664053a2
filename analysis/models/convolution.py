r"""Normalising constants of closed networks, on a logarithmic scale and with positive terms only.

A station with :math:`i_j` seconds between completions while it holds j requests has the terms
:math:`g(n) = \prod_{j \le n} i_j`, and a network has the normalising constants
:math:`G = g_1 * g_2 * \dots`, a convolution. Beyond m servers the interval stays the same, so
that a station is a short list of m terms with a geometric tail. What a station sees of the others
is built from them anew, never divided out of G, and no probability is one minus another: nothing
cancels.

References
----------
Buzen 1973, doi:10.1145/362342.362345; Jain 1991, chapter 35.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import expit, gammaln

from analysis.statistics.student import FloatArray

Condition = tuple[FloatArray, FloatArray]
_ROWS = 256  # of a window matrix at a time: it stays in the processor's cache


def arrival_conditions(
    delay: float,
    single_servers: Sequence[float],
    limited: Sequence[FloatArray],
    population: int,
) -> list[Condition]:
    r"""Find what limited stations look like to a request that arrives there.

    Parameters
    ----------
    delay
        Seconds in all delays together, >= 0.
    single_servers
        Service demand > 0 of each single-server station, in seconds.
    limited
        For each limited station its intervals :math:`i_1 .. i_m` > 0 in seconds, shape (m,).
    population
        Largest number of requests that the arrival finds in the network.

    Returns
    -------
    list of (numpy.ndarray, numpy.ndarray)
        For each limited station two arrays, shape (population + 1,): the mean of
        :math:`\min(j, m)\, i_j`, j counting the arrival (for m equal servers the service demand),
        in seconds; and the probability that m or more are there before it.
    """
    if not limited:
        return []
    unit, log_constants, scaled = _in_units(delay, single_servers, limited, population)
    return [(service * unit, all_busy) for service, all_busy in _conditions(scaled, log_constants)]


def throughputs(
    delay: float,
    single_servers: Sequence[float],
    limited: Sequence[FloatArray],
    population: int,
) -> FloatArray:
    """Return the requests/s of 1..population clients, G(n - 1) / G(n), shape (population,).

    Parameters are those of `arrival_conditions`; the population is that of the whole network.
    """
    unit, log_others, scaled = _in_units(delay, single_servers, limited, population)
    log_constants = reduce(_with_limited, scaled, log_others)
    return np.asarray(np.exp(-np.diff(log_constants)) / unit)


def _in_units(
    delay: float,
    single_servers: Sequence[float],
    limited: Sequence[FloatArray],
    population: int,
) -> tuple[float, FloatArray, list[FloatArray]]:
    """Return a unit of time, and in it the constants without and the intervals of `limited`."""
    seconds = [*single_servers, *(float(intervals[-1]) for intervals in limited)]
    unit = max(seconds, default=delay)
    log_constants = _with_delay(delay / unit, population)
    for demand in single_servers:
        log_constants = _with_tail(log_constants, np.log(demand / unit))
    return unit, log_constants, [np.log(intervals / unit) for intervals in limited]


def _conditions(stations: list[FloatArray], log_others: FloatArray) -> list[Condition]:
    """Conditions at each station, given the constants of the network of all the others.

    Each half of the stations is solved in a network that holds the other half.
    """
    if len(stations) == 1:
        return [_condition(stations[0], log_others)]
    half = len(stations) // 2
    left, right = stations[:half], stations[half:]
    return [
        *_conditions(left, reduce(_with_limited, right, log_others)),
        *_conditions(right, reduce(_with_limited, left, log_others)),
    ]


def _condition(log_intervals: FloatArray, log_others: FloatArray) -> Condition:
    log_free, service_when_free = _free(log_intervals, log_others)
    log_busy = _all_busy(log_intervals, log_others)
    all_busy, free = expit(log_busy - log_free), expit(log_free - log_busy)
    service_when_busy = len(log_intervals) * np.exp(log_intervals[-1])
    return free * service_when_free + all_busy * service_when_busy, all_busy


def _with_delay(delay: float, population: int) -> FloatArray:
    """Constants of a delay alone: delay^n / n!."""
    counts = np.arange(population + 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        powers = np.append(0.0, counts[1:] * np.log(delay))
    return np.asarray(powers - gammaln(counts + 1))


def _with_tail(log_constants: FloatArray, log_ratio: float) -> FloatArray:
    """Convolve with a geometric series: c(n) + r c(n - 1) + r^2 c(n - 2) + ..."""
    log_powers = log_ratio * np.arange(len(log_constants))
    return np.asarray(np.logaddexp.accumulate(log_constants - log_powers) + log_powers)


def _with_limited(log_constants: FloatArray, log_intervals: FloatArray) -> FloatArray:
    log_free, _ = _free(log_intervals, log_constants)
    return np.logaddexp(log_free, _all_busy(log_intervals, log_constants))


def _all_busy(log_intervals: FloatArray, log_others: FloatArray) -> FloatArray:
    """Part of the constants in which the station holds m or more."""
    num_servers = len(log_intervals)
    shifted = np.full_like(log_others, -np.inf)
    shifted[num_servers:] = log_others[:-num_servers] + log_intervals.sum()
    return _with_tail(shifted, log_intervals[-1])


def _free(log_intervals: FloatArray, log_others: FloatArray) -> Condition:
    """Part of the constants in which the station holds less than m, and the mean service there.

    One row per population n: the terms g(j) G(n - j), j = 0 .. m - 1, over their largest.
    """
    num_servers = len(log_intervals)
    log_terms = np.append(0.0, np.cumsum(log_intervals[:-1]))
    service = np.arange(1, num_servers + 1) * np.exp(log_intervals)
    padded = np.append(np.full(num_servers - 1, -np.inf), log_others)
    windows = sliding_window_view(padded, num_servers)  # n - m + 1 .. n
    log_sums, means = [], []
    for start in range(0, len(windows), _ROWS):
        rows = windows[start : start + _ROWS] + log_terms[::-1]
        largest = np.maximum(rows.max(axis=1), np.finfo(np.float64).min)  # all may be -inf
        shares = np.exp(rows - largest[:, np.newaxis])
        totals = shares.sum(axis=1)
        some = totals > 0
        log_sums.append(np.log(totals, where=some, out=np.full_like(totals, -np.inf)) + largest)
        weighted = shares @ service[::-1]
        means.append(np.divide(weighted, totals, where=some, out=np.zeros_like(totals)))
    return np.concatenate(log_sums), np.concatenate(means)
