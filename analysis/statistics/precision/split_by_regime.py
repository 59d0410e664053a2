"""Repetitions of one cell that were in different regimes, found by their errors within runs."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.special import fdtr

from analysis.statistics.precision.batches import LEAST_BATCHES, batch_means
from analysis.statistics.student import FloatArray

REGIME = "regime"
SIGNIFICANCE = 0.01
LEAST_SHARE = 0.1  # of the clients, or of the largest throughput, by which two regimes differ


def label_regimes(frame: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Add the regime of each run, by its middlewares' queue, or if they are alike by throughput.

    The error of a run's mean is that of batch means; where seconds are too few for it or drift, it
    is the standard deviation of the seconds, as if they all depended on each other.

    The column `regime` is ``1`` for the shortest queue or the largest throughput, ``2`` for the
    next, empty where all repetitions of a configuration are in one.
    """
    key = [name for name in list(windows)[: list(windows).index("side")] if name in frame]
    cell = [name for name in key if name != "repetition"]
    stable = windows[windows["stable"]].sort_values("second_s")
    if stable.empty:
        return frame.assign(**{REGIME: ""})
    told = []
    for _, own in stable.groupby(cell, dropna=False):
        runs = own[key].drop_duplicates("repetition")
        regime = _regimes_of(own)
        told.append(runs.assign(**{REGIME: [regime.get(rep, "") for rep in runs["repetition"]]}))
    found = frame.merge(pd.concat(told), on=key, how="left").set_axis(frame.index)
    return found.assign(**{REGIME: found[REGIME].fillna("")})


def branches(cells: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the cells of each regime with all that have one alone, `regime` telling which.

    Parameters
    ----------
    cells
        Of one system, from `analysis.laws.summary.cells`; their runs may be split by regime.
    """
    told = cells[REGIME] if REGIME in cells else pd.Series("", cells.index)
    for regime in sorted(set(told) - {""}) or [""]:
        yield cells[told.isin(["", regime])].assign(**{REGIME: regime})


def split_by_regime(cells: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the cells of each system once in each of its regimes (`branches`).

    Parameters
    ----------
    cells
        Of runs with the column `regime` (`label_regimes`).
    """
    systems = [rows for _, rows in cells.groupby(list(by), dropna=False)]
    return pd.concat([branch for rows in systems for branch in branches(rows)], ignore_index=True)


def _regimes_of(seconds: pd.DataFrame) -> dict[int, str]:
    """Return the regime of each repetition of one configuration, nothing where there is one."""
    queues = _by_run(seconds, "middleware", "queue_length")
    rates = _by_run(seconds, "client", "throughput_ops_per_s")
    most = max((mean for mean, _ in rates.values()), default=0.0)
    falling = {repetition: (-mean, error) for repetition, (mean, error) in rates.items()}
    for runs, scale in ((queues, float(seconds["num_clients"].iloc[0])), (falling, most)):
        means, errors = ([one[place] for one in runs.values()] for place in (0, 1))
        labels = regimes(means, errors, least=LEAST_SHARE * scale)
        if labels is not None:
            return {rep: f"{label + 1}" for rep, label in zip(runs, labels, strict=True)}
    return {}


def _by_run(seconds: pd.DataFrame, side: str, column: str) -> dict[int, tuple[float, float]]:
    """Return the mean and its error of each repetition."""
    if column not in seconds:  # no table without middlewares has queues
        return {}
    values = seconds[column].to_numpy(dtype=float, na_value=np.nan)
    chosen = (seconds["side"] == side).to_numpy() & ~np.isnan(values)
    repetitions, values = seconds["repetition"].to_numpy()[chosen], values[chosen]
    return {
        int(repetition): (float(own.mean()), _error(own))
        for repetition in np.unique(repetitions)
        for own in [values[repetitions == repetition]]
    }


def _error(seconds: FloatArray) -> float:
    found = batch_means(seconds)
    if found.batches:
        return found.error
    return float(seconds.std(ddof=1)) if len(seconds) > 1 else np.nan


def regimes(
    means: Sequence[float], errors: Sequence[float], *, least: float = 0.0
) -> list[int] | None:
    r"""Tell apart repetitions that differ more than their errors within allow.

    Welch's analysis of variance asks whether all have one mean, whatever their errors. If not, they
    are divided at the widest gap, and each side is asked again. With weights
    :math:`w_i = 1 / e_i^2` of k means :math:`y_i`, each error of :math:`\nu` degrees of freedom,

    .. math::

        F = \frac{\sum w_i (y_i - \bar y)^2 / (k - 1)}{1 + 2 (k - 2) \Lambda / (k^2 - 1)}, \quad
        \Lambda = \sum \frac{(1 - w_i / \sum w)^2}{\nu}

    Returned is the regime of each repetition, 0 for the one of the smallest mean; None if there is
    one, or none can be told for want of errors or of repetitions.

    Parameters
    ----------
    means
        Of the repetitions: queue lengths or response times, shape (n,).
    errors
        Standard error of each from within its run, shape (n,).
    least
        The smallest gap between regimes that matters, in the unit of the means: runs of one regime
        never agree to the last digit.

    References
    ----------
    Welch 1951, doi:10.1093/biomet/38.3-4.330.
    """
    values, within = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    if values.shape != within.shape or (within < 0).any():
        raise ValueError(f"an error is needed for each of {len(values)} means, got {list(errors)}")
    if least < 0:
        raise ValueError(f"the smallest gap must not be below 0, got {least}")
    if len(values) < 2 or not np.isfinite([values, within]).all():
        return None
    rounding = np.finfo(float).eps * np.abs(values).max()
    order = np.argsort(values, kind="stable")
    groups = _divided(values[order], np.fmax(within[order], max(rounding, 1e-300)), least)
    if len(groups) == 1:
        return None
    labels = np.empty(len(values), dtype=int)
    labels[order] = np.repeat(np.arange(len(groups)), groups)
    return [int(label) for label in labels]


def _divided(values: FloatArray, within: FloatArray, least: float) -> list[int]:
    """Return the sizes of the groups of sorted values."""
    if len(values) < 2 or _p_value_of_one_mean(values, within) >= SIGNIFICANCE:
        return [len(values)]
    gaps = np.diff(values)
    at = int(np.argmax(gaps)) + 1
    if gaps[at - 1] < least:
        return [len(values)]
    return [
        *_divided(values[:at], within[:at], least),
        *_divided(values[at:], within[at:], least),
    ]


def _p_value_of_one_mean(values: FloatArray, within: FloatArray) -> float:
    count = len(values)
    weights = (within.min() / within) ** 2  # of the smallest error 1: no overflow
    total = weights.sum()
    away = (values - (weights * values).sum() / total) / within
    uncertainty = ((1 - weights / total) ** 2).sum() / (LEAST_BATCHES - 1)
    between = float((away**2).sum()) / (count - 1)
    statistic = between / (1 + 2 * (count - 2) * uncertainty / (count**2 - 1))
    return float(1 - fdtr(count - 1, (count**2 - 1) / (3 * uncertainty), statistic))
