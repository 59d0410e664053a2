"""Statistics over repetitions: mean, sample standard deviation, 95 % confidence interval."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

CONFIDENCE = 0.95


def aggregate(frame: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    r"""Aggregate repetitions into cells.

    The confidence interval of a mean of r repetitions with sample standard deviation s is

    .. math:: \bar x \pm t_{0.975;\,r-1}\, s / \sqrt r

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
        One row per cell, sorted: `by`, and for each column c `c_mean`, `c_sd`, `c_ci_low`,
        `c_ci_high`, `c_repetitions`. With one repetition there is no spread to judge by: `c_sd`
        and the interval are NaN.

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
        half_width = half_width_of_mean(sd, repetitions)
        cells |= {
            f"{column}_mean": mean,
            f"{column}_sd": sd,
            f"{column}_ci_low": mean - half_width,
            f"{column}_ci_high": mean + half_width,
            f"{column}_repetitions": repetitions,
        }
    return pd.DataFrame(cells).reset_index()


def half_width_of_mean(
    sd: pd.Series, repetitions: pd.Series, confidence: float = CONFIDENCE
) -> pd.Series:
    """Half width of the confidence interval of a mean; NaN below two repetitions."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1), got {confidence}")
    degrees_of_freedom = (repetitions - 1).where(repetitions > 1)
    quantile = stats.t.ppf((1 + confidence) / 2, degrees_of_freedom)
    return pd.Series(quantile * sd / np.sqrt(repetitions), index=sd.index)
