"""Runs of a campaign with the regime that each was in, for tables and figures that show both."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.precision.batches import batch_means
from analysis.statistics.precision.regimes import regimes

REGIME = "regime"
LEAST_SHARE = 0.1  # of the clients, by which queues of two regimes differ at least


def told_apart(frame: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Tell the regime of each run by the length of its middlewares' queue.

    The error of a run's mean is that of batch means; where seconds are too few for it or the queue
    drifts, it is the standard deviation of the seconds, as if they all depended on each other.

    Parameters
    ----------
    frame
        `analysis.tables.frames.Tables.runs` or another table of the same runs.
    windows
        `analysis.tables.frames.Tables.windows` of them.

    Returns
    -------
    pandas.DataFrame
        `frame` with `regime`: ``1`` for the shortest queue, ``2`` for the next, empty where all
        repetitions of a configuration are in one, or where there is no middleware.
    """
    key = [name for name in list(windows)[: list(windows).index("side")] if name in frame]
    cell = [name for name in key if name != "repetition"]
    middlewares = windows[windows["stable"] & (windows["side"] == "middleware")]
    known = middlewares.dropna(subset="queue_length").sort_values("second_s")
    if known.empty:
        return frame.assign(**{REGIME: ""})
    each = known.groupby(key, dropna=False)["queue_length"].agg(["mean", _error]).reset_index()
    each[REGIME] = ""
    for _, runs in each.groupby(cell, dropna=False):
        least = LEAST_SHARE * float(runs["num_clients"].iloc[0])
        labels = regimes(runs["mean"].tolist(), runs["_error"].tolist(), least=least)
        if labels is not None:
            each.loc[runs.index, REGIME] = [f"{label + 1}" for label in labels]
    told = frame.merge(each[[*key, REGIME]], on=key, how="left").set_axis(frame.index)
    return told.assign(**{REGIME: told[REGIME].fillna("")})


def branches(cells: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the cells of each regime with all that have one alone, `regime` telling which.

    Parameters
    ----------
    cells
        Of one system, from `analysis.sections.summary.cells` of runs that were told apart or not.
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
    by
        What makes a system, such as ``["workload", "workers"]``.
    """
    systems = [rows for _, rows in cells.groupby(list(by), dropna=False)]
    return pd.concat([branch for rows in systems for branch in branches(rows)], ignore_index=True)


def _error(seconds: pd.Series) -> float:
    found = batch_means(seconds)
    if found.batches:
        return found.error
    return float(seconds.std(ddof=1)) if len(seconds) > 1 else np.nan
