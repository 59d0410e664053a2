"""Statistics over repetitions: mean, sample standard deviation, 95 % confidence interval."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from analysis.statistics.spread import shared_spread

FloatArray = NDArray[np.float64]

CONFIDENCE = 0.95


def aggregate(frame: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    r"""Aggregate repetitions into cells.

    The confidence interval of a mean of r repetitions is

    .. math:: \bar x \pm t_{0.975;\,\nu}\, \tilde s / \sqrt r

    with the standard deviation and its degrees of freedom as the cells share them
    (`analysis.statistics.spread`). What is never below 0 has no interval below 0.

    Parameters
    ----------
    frame
        One row per repetition.
    by
        What makes a cell, such as ``["workload", "num_clients"]``; a missing level is a level.
    columns
        Measures to aggregate; missing values do not count as repetitions.

    Returns
    -------
    pandas.DataFrame
        One row per cell, sorted: `by`, and for each column c `c_mean`, `c_sd` (of its own
        repetitions), `c_ci_low`, `c_ci_high`, `c_error` (standard error of the mean) and
        `c_freedom` that the interval is made of, `c_repetitions`. With one repetition there is no
        spread to judge by: all but mean and number are NaN.

    References
    ----------
    Jain 1991, section 13.2.
    """
    groups = frame.groupby(list(by), dropna=False, sort=True)
    cells: dict[str, pd.Series] = {}
    for column in columns:
        values = groups[column]
        repetitions = values.count()
        mean, sd = values.mean(), values.std(ddof=1)
        shared = shared_spread(sd, mean, repetitions)
        half_width = half_width_of_mean(shared["sd"], repetitions, freedom=shared["freedom"])
        least = 0.0 if frame[column].min() >= 0 else -np.inf
        cells |= {
            f"{column}_mean": mean,
            f"{column}_sd": sd,
            f"{column}_ci_low": (mean - half_width).clip(lower=least),
            f"{column}_ci_high": mean + half_width,
            f"{column}_error": shared["sd"] / np.sqrt(repetitions),
            f"{column}_freedom": shared["freedom"],
            f"{column}_repetitions": repetitions,
        }
    return pd.DataFrame(cells).reset_index()


def half_width_of_mean(
    sd: pd.Series,
    repetitions: pd.Series,
    confidence: float = CONFIDENCE,
    *,
    freedom: pd.Series | None = None,
) -> pd.Series:
    """Half width of the confidence interval of a mean; NaN below two repetitions.

    Parameters
    ----------
    sd, repetitions
        Standard deviations and how many values each mean is of.
    freedom
        Degrees of freedom of the standard deviations; those of the repetitions unless told.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1), got {confidence}")
    own = (repetitions - 1).where(repetitions > 1)
    quantile = stdtrit(own if freedom is None else freedom, (1 + confidence) / 2)
    return pd.Series(quantile * sd / np.sqrt(repetitions), index=sd.index)


def half_width_of_difference(
    sds: tuple[ArrayLike, ArrayLike],
    repetitions: tuple[ArrayLike, ArrayLike],
    confidence: float = CONFIDENCE,
) -> np.ndarray:
    r"""Half width of the confidence interval of the difference of two means (Welch).

    .. math::

        t_{1 - \alpha / 2;\,\nu}\, \sqrt{v_1 + v_2}, \quad v_i = s_i^2 / r_i, \quad
        \nu = \frac{(v_1 + v_2)^2}{v_1^2 / (r_1 - 1) + v_2^2 / (r_2 - 1)}

    Parameters
    ----------
    sds, repetitions
        Sample standard deviations and numbers of values of both sides, each of one shape.

    Returns
    -------
    numpy.ndarray
        Of that shape; NaN where a side has fewer than two values, 0 where neither has a spread.

    References
    ----------
    Jain 1991, section 13.4.2.
    """
    counts = np.array(repetitions, dtype=float)
    variances = np.array(sds, dtype=float) ** 2 / counts
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (variances**2 / (counts - 1)).sum(axis=0)
    half_width = stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(total)
    known = np.where(total > 0, half_width, 0.0)
    return np.where(counts.min(axis=0) > 1, known, np.nan)
