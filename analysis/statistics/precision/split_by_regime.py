"""Runs of a campaign with the regime that each was in, for tables and figures that show both."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.precision.batches import batch_means
from analysis.statistics.precision.regimes import regimes

REGIME = "regime"
LEAST_SHARE = 0.1  # of the clients, or of the largest throughput, by which two regimes differ


def told_apart(frame: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Tell the regime of each run by its middlewares' queue, or if they are alike by throughput.

    The error of a run's mean is that of batch means; where seconds are too few for it or drift, it
    is the standard deviation of the seconds, as if they all depended on each other.

    Returns
    -------
    pandas.DataFrame
        `frame` with `regime`: ``1`` for the shortest queue or the largest throughput, ``2`` for the
        next, empty where all repetitions of a configuration are in one.
    """
    key = [name for name in list(windows)[: list(windows).index("side")] if name in frame]
    cell = [name for name in key if name != "repetition"]
    stable = windows[windows["stable"]].sort_values("second_s")
    if stable.empty:
        return frame.assign(**{REGIME: ""})
    told = [
        _regimes_of(own).merge(own[cell].head(1), how="cross")
        for _, own in stable.groupby(cell, dropna=False)
    ]
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


def in_each_regime(cells: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the cells of each system once in each of its regimes (`branches`).

    Parameters
    ----------
    cells
        Of runs that were told apart.
    """
    systems = [rows for _, rows in cells.groupby(list(by), dropna=False)]
    return pd.concat([branch for rows in systems for branch in branches(rows)], ignore_index=True)


def _regimes_of(seconds: pd.DataFrame) -> pd.DataFrame:
    """Return the repetitions of one configuration with the regime of each."""
    queues = _by_run(seconds, "middleware", "queue_length")
    rates = _by_run(seconds, "client", "throughput_ops_per_s")
    most = seconds["num_clients"].iloc[0], rates["mean"].max()
    for runs, scale in zip((queues, rates.assign(mean=-rates["mean"])), most, strict=True):
        least = LEAST_SHARE * float(scale)
        labels = regimes(runs["mean"].tolist(), runs["_error"].tolist(), least=least)
        if labels is not None:
            return runs[["repetition"]].assign(**{REGIME: [f"{label + 1}" for label in labels]})
    return rates[["repetition"]].assign(**{REGIME: ""})


def _by_run(seconds: pd.DataFrame, side: str, column: str) -> pd.DataFrame:
    rows = seconds[seconds["side"] == side].reindex(columns=["repetition", column])
    own = rows.dropna(subset=column)  # no table without middlewares has queues
    return own.groupby("repetition")[column].agg(["mean", _error]).reset_index()


def _error(seconds: pd.Series) -> float:
    found = batch_means(seconds)
    if found.batches:
        return found.error
    return float(seconds.std(ddof=1)) if len(seconds) > 1 else np.nan
