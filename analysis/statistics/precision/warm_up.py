"""Where the warm-up of a run ends, found from its course."""

import numpy as np
from numpy.typing import ArrayLike

GROUP = 5


def truncation(slices: ArrayLike) -> int | None:
    r"""Find how many slices belong to the warm-up, by MSER-5.

    Slices are averaged by five; of all starts d in the first half of these n means, the one is
    taken at which the mean of the rest is best known,

    .. math:: d^* = \arg\min_{0 \le d \le n / 2} \frac{1}{(n - d)^2} \sum_{j > d} (y_j - \bar y_d)^2

    It is to be found in one run and cut off others: in a run that is cut where it says itself, busy
    starts go and idle ones stay, so that the mean response time of M/M/1 comes 3 % too short.

    Returned is how many slices to cut off, a multiple of five; None where it is undecided: fewer
    than 20 slices, or a best start at the end of the first half, where the run may still be warming
    up.

    Parameters
    ----------
    slices
        What equal slices of a run measured, in order of time, finite, shape (S,).

    References
    ----------
    White 1997, doi:10.1177/003754979706900601; White, Cobb & Spratt 2000 (Winter
    Simulation Conference).
    """
    series = np.asarray(slices, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("slices must be finite")
    count = len(series) // GROUP
    if count < 4:
        return None
    means = series[: count * GROUP].reshape(count, GROUP).mean(1)
    last = count // 2
    marginal = [means[start:].var() / (count - start) for start in range(last + 1)]
    best = int(np.argmin(marginal))
    return None if best == last else best * GROUP
