"""Where regimes come from: workers that serve more slowly the more jobs wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.claims.measurements import NotMeasured, cell_names
from analysis.statistics.estimates import Estimate, ratio_of
from analysis.statistics.precision.split_by_regime import REGIME, label_regimes
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

_LEAST_QUEUE = 0.1  # of the clients, as regimes differ at least


@dataclass(frozen=True, kw_only=True)
class Regimes:
    """The runs of a configuration whose repetitions are in more than one regime.

    Attributes
    ----------
    begins_with_queue : pandas.Series
        Whether a tenth of the clients or more queue in the first second with requests; by the name
        of the run, shape (R,), R = number of repetitions.
    short, long : pandas.DataFrame
        One row per run of the shortest and of the longest queue, means over its stable window:
        `throughput_ops_per_s`, and `most_ops_per_s`, M m / S of the workers of all middlewares.
    """

    begins_with_queue: pd.Series
    short: pd.DataFrame
    long: pd.DataFrame


def regimes_of(tables: Tables) -> Iterator[Regimes]:
    """Yield the regimes of each configuration whose repetitions are in more than one."""
    runs = label_regimes(tables.runs, tables.windows)
    seconds = label_regimes(tables.windows, tables.windows)
    key = [name for name in list(seconds)[: list(seconds).index("side")] if name != "repetition"]
    inside = seconds[(seconds["side"] == "middleware") & (seconds[REGIME] != "")]
    for level, cell in inside.groupby(key, dropna=False):
        of_cell = runs[(runs[key] == pd.Series(dict(zip(key, level, strict=True)))).all(axis=1)]
        first = cell[cell["throughput_ops_per_s"] > 0].sort_values("second_s")
        queues = first.groupby("repetition")["queue_length"].first()
        begins = queues / of_cell["num_clients"].iloc[0] >= _LEAST_QUEUE
        name = cell_names(of_cell[key])[0]
        own = _of_runs(cell[cell["stable"]], of_cell.iloc[0])
        yield Regimes(
            begins_with_queue=begins.set_axis([f"{name} run {run}" for run in queues.index]),
            short=own[own[REGIME] == own[REGIME].min()],
            long=own[own[REGIME] == own[REGIME].max()],
        )


def _of_runs(stable: pd.DataFrame, run: pd.Series) -> pd.DataFrame:
    """Return `Regimes.short` of all regimes, with the regime of each run."""
    columns = ["throughput_ops_per_s", "service_time_ms"]
    means = stable.groupby(["repetition", REGIME])[columns].mean().reset_index()
    workers = run["workers"] * run["num_middlewares"]
    return means.assign(most_ops_per_s=workers / means["service_time_ms"] * MS_PER_S)


def could_do(pairs: Sequence[tuple[pd.DataFrame, pd.DataFrame]]) -> Estimate:
    """Estimate what workers could do in some runs over what arrives in others.

    The mean over configurations. Of a regime that a single run was in, the error is not known.

    Parameters
    ----------
    pairs
        Of each configuration the runs of both, such as `Regimes.long` and `Regimes.short`.
    """
    ratios = [
        ratio_of(runs["most_ops_per_s"].tolist(), others["throughput_ops_per_s"].tolist())
        for runs, others in pairs
    ]
    if not ratios:
        raise NotMeasured
    return Estimate(
        value=float(np.mean([one.value for one in ratios])),
        error=float(np.sqrt(np.sum([one.error**2 for one in ratios])) / len(ratios)),
        freedom=min(one.freedom for one in ratios),
        is_ratio=True,
    )
