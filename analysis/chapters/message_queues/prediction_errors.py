"""How far the models of message queues are off, and how far even one that is right would be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import stdtr

from analysis.chapters.message_queues.networks import CELL, RESPONSE_TIME, THROUGHPUT
from analysis.laws.limits import CPU_FULL
from analysis.statistics.comparison import NEAR, compare, rms_log_error
from analysis.statistics.student import t_quantile

RIGHT = "a perfect model"
HELD_OUT, LIGHT = "held out", "lightest, fitted"


def compared(measured: pd.DataFrame, predicted: pd.DataFrame, column: str) -> pd.DataFrame:
    """Put the predictions of one measure beside the cells that can judge them.

    Those are all but the cells in which the machine was the limit: its processors, which hosts of
    the local lab share, are in no model of the system.

    Parameters
    ----------
    measured, predicted
        From `queue_cells` and `predictions`.
    column
        `THROUGHPUT` or `RESPONSE_TIME`.

    Returns
    -------
    pandas.DataFrame
        `CELL`, `model`, `bottleneck`, `repetitions`, `is_light` (whether demands were fitted to the
        cell: it confirms no model), then as `analysis.statistics.comparison.compare`.
    """
    name = column.removeprefix("client_")
    asked = [*CELL, "model", "bottleneck"]
    leading = [*asked, "repetitions", "is_light"]
    if predicted.empty:
        errors = ["predicted", "measured", "ci_low", "ci_high", "relative_error", "verdict"]
        return pd.DataFrame(columns=[*leading, *errors])
    known = measured.assign(repetitions=measured[f"{column}_repetitions"])
    known = known[~machine_is_full(known)].astype({"is_light": bool})
    joined = predicted[[*asked, name]].merge(known, on=list(CELL))
    return pd.concat([joined[leading], compare(joined, joined[name], column)], axis="columns")


def machine_is_full(cells: pd.DataFrame) -> pd.Series:
    """Tell in which cells of `queue_cells` the processors that hosts share were the limit."""
    busy = cells.get("machine_utilization_mean", pd.Series(np.nan, cells.index))
    return busy > CPU_FULL


def comparisons(measured: pd.DataFrame, predicted: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what `compared` tells of throughput and response time, by the name of the column."""
    both = (THROUGHPUT, RESPONSE_TIME)
    return {column: compared(measured, predicted, column) for column in both}


def error_shares(comparison: pd.DataFrame) -> pd.DataFrame:
    """Tell how many of the cells each model predicts within 5 %.

    Returns
    -------
    pandas.DataFrame
        `model`, `cells`, `near` (share of them, 0..1), `mean_absolute_error`,
        `rms_log_error` (`analysis.statistics.comparison`), and `largest_error` (signed).
    """
    rows = []
    for model, own in comparison.groupby("model", sort=False):
        errors = own["relative_error"].astype(float)
        rows.append(
            {
                "model": model,
                "cells": len(errors),
                "near": float((errors.abs() <= NEAR).mean()),
                "mean_absolute_error": float(errors.abs().mean()),
                "rms_log_error": rms_log_error(errors),
                "largest_error": float(errors.iloc[int(np.argmax(errors.abs()))]),
            }
        )
    columns = ["model", "cells", "near", "mean_absolute_error", "rms_log_error", "largest_error"]
    return pd.DataFrame(rows, columns=columns)


def right_share(comparison: pd.DataFrame) -> float:
    r"""Tell how many cells a model that is right would have within 5 %, by repetitions alone.

    .. math:: P\left(|T_{n-1}| \le \frac{\epsilon\, m}{s / \sqrt{n}}\right)

    on average over cells of n repetitions with mean m and standard deviation s. What the model was
    fed with spreads, too, which makes it fewer.

    Parameters
    ----------
    comparison
        From `compared`.

    Returns
    -------
    float
        0..1, over the cells that have two repetitions or more; NaN if none has.

    References
    ----------
    Jain 1991, section 13.2.
    """
    cells = comparison.drop_duplicates(list(CELL)).query("repetitions > 1")
    free = cells["repetitions"].to_numpy(float) - 1
    half = (cells["ci_high"] - cells["measured"]).to_numpy(float)
    errors = half / t_quantile(free)
    with np.errstate(divide="ignore"):
        chances = 2 * stdtr(free, NEAR * cells["measured"].to_numpy(float) / errors) - 1
    return float(chances.mean()) if len(chances) else float("nan")


def shares_by_measure(both: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return `error_shares` and `RIGHT`'s share of each measure, apart for the fitted cell.

    Parameters
    ----------
    both
        From `comparisons`.

    Returns
    -------
    pandas.DataFrame
        `loads` (`HELD_OUT` or `LIGHT`), `quantity` (in words), then as `error_shares`.
    """
    words = {THROUGHPUT: "throughput", RESPONSE_TIME: "response time"}
    parts = []
    for loads in (HELD_OUT, LIGHT):
        for column, every in both.items():
            own = every[every["is_light"].astype(bool) == (loads == LIGHT)]
            if own.empty and loads == LIGHT:
                continue
            cells = len(own.drop_duplicates(list(CELL)))
            right = {"model": [RIGHT], "cells": [cells], "near": [right_share(own)]}
            shares = pd.concat([error_shares(own), pd.DataFrame(right)])
            shares.insert(0, "quantity", words[column])
            shares.insert(0, "loads", loads)
            parts.append(shares)
    return pd.concat(parts, ignore_index=True)
