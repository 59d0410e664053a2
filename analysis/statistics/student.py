"""Quantile of Student's t by which all intervals are made (`analysis.statistics.intervals`)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

FloatArray = NDArray[np.float64]

CONFIDENCE = 0.95
QUANTILE_CONFIDENCE = 0.98  # of t; the difference makes up for campaigns that stop by luck


def t_quantile(freedom: ArrayLike) -> FloatArray:
    """Return how many standard errors the bounds of a 95 % interval are away from the mean.

    Parameters
    ----------
    freedom
        Degrees of freedom of the standard error; NaN below one.
    """
    known = np.asarray(freedom, dtype=float)
    quantile = stdtrit(np.where(known > 0, known, np.nan), (1 + QUANTILE_CONFIDENCE) / 2)
    return np.asarray(quantile, dtype=float)
