r"""Statistics over repetitions: mean, sample standard deviation, 95 % confidence interval.

There is one kind of interval, in tables, figures, claims and the rule that ends a campaign: that of
Student's t over the means of the highest level that was repeated. A repetition measures every
configuration once. Its mean contains the errors of all levels below it (requests within batches,
batches within a run, runs within the repetition) and the difference between repetitions (Kalibera
& Jones 2013, doi:10.1145/2464157.2464160, section 7.1). Rows of one repetition are averaged first.

The quantile of t is that of 98 %, not of 95 %: a campaign that stops as soon as its interval is
narrow enough stops more often where repetitions agree by luck, so that intervals with the quantile
of 95 % hold the truth in 90 % of the campaigns (docs/explanation/precision.md).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.statistics.student import t_quantile

REPETITION = "repetition"


def aggregate(frame: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    r"""Aggregate repetitions into cells.

    The confidence interval of a mean of r repetitions is

    .. math:: \bar x \pm t_{r - 1}\, s / \sqrt r

    with the quantile of `t_quantile`. The interval of a measure that is never below 0 ends at 0.

    One row per cell, sorted: `by`, and for each column c `c_mean`, `c_sd`, `c_ci_low`, `c_ci_high`,
    `c_error` (standard error of the mean) and `c_repetitions`. One repetition has no spread to
    judge by: all but mean and number are NaN.

    Parameters
    ----------
    frame
        One row per run, or several rows per repetition, which are averaged first where `frame` has
        a column ``repetition``.
    by
        What makes a cell, such as ``["workload", "num_clients"]``; a missing level is a level.
    columns
        Measures to aggregate; missing values do not count as repetitions.

    References
    ----------
    Jain 1991, section 13.2.
    """
    if REPETITION in frame and REPETITION not in by and frame.duplicated([*by, REPETITION]).any():
        within = frame.groupby([*by, REPETITION], dropna=False, sort=True)
        frame = within[list(columns)].mean().reset_index()
    groups = frame.groupby(list(by), dropna=False, sort=True)
    cells: dict[str, pd.Series] = {}
    for column in columns:
        values = groups[column]
        repetitions = values.count()
        mean, sd = values.mean(), values.std(ddof=1)
        half_width = half_width_of_mean(sd, repetitions)
        least = 0.0 if frame[column].min() >= 0 else -np.inf
        cells |= {
            f"{column}_mean": mean,
            f"{column}_sd": sd,
            f"{column}_ci_low": (mean - half_width).clip(lower=least),
            f"{column}_ci_high": mean + half_width,
            f"{column}_error": sd / np.sqrt(repetitions),
            f"{column}_repetitions": repetitions,
        }
    return pd.DataFrame(cells).reset_index()


def half_width_of_mean(sd: pd.Series, repetitions: pd.Series) -> pd.Series:
    """Return the half width of the 95 % interval of means; NaN below two repetitions.

    Parameters
    ----------
    sd, repetitions
        Standard deviations and how many values each mean is of.
    """
    return pd.Series(t_quantile(repetitions - 1) * sd / np.sqrt(repetitions), index=sd.index)


def half_width_of_difference(
    sds: tuple[ArrayLike, ArrayLike],
    repetitions: tuple[ArrayLike, ArrayLike],
) -> np.ndarray:
    r"""Half width of the 95 % confidence interval of the difference of two means (Welch).

    .. math::

        t_\nu\, \sqrt{v_1 + v_2}, \quad v_i = s_i^2 / r_i, \quad
        \nu = \frac{(v_1 + v_2)^2}{v_1^2 / (r_1 - 1) + v_2^2 / (r_2 - 1)}

    It is NaN where a side has fewer than two values, 0 where neither has a spread.

    Parameters
    ----------
    sds, repetitions
        Sample standard deviations and numbers of values of both sides, each of one shape.

    References
    ----------
    Jain 1991, section 13.4.2.
    """
    counts = np.array(repetitions, dtype=float)
    variances = np.array(sds, dtype=float) ** 2 / counts
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (variances**2 / (counts - 1)).sum(axis=0)
    half_width = t_quantile(freedom) * np.sqrt(total)
    known = np.where(total > 0, half_width, 0.0)
    return np.where(counts.min(axis=0) > 1, known, np.nan)
