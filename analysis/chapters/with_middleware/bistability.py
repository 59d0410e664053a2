"""Where regimes come from: workers that serve more slowly the more jobs wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.claims.claim import Kind
from analysis.claims.findings import Findings, cell_names
from analysis.claims.rules import at_least, at_most
from analysis.statistics.estimates import Estimate, mean_of, ratio_of
from analysis.statistics.precision.split_by_regime import REGIME, told_apart
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

_LEAST_QUEUE = 0.1  # of the clients, as regimes differ at least
_MISSING = "no configuration has runs in two regimes"


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


def check(found: Findings, *sections: str) -> None:
    """Check, by runs in two regimes, that each regime keeps itself up.

    Utilization at most 1 makes M m / S at least the throughput of the same runs: of those of the
    short queue that is a validity check.
    """
    told = [cell for name in sections for cell in _several(found.tables(name))]
    chapter = sections[0].partition(".")[0]
    begins = [cell.begins_with_queue for cell in told]
    found.check_share(
        chapter,
        "Runs that part into two regimes all begin with a queue.",
        of="such runs in which a tenth of the clients queue in the first second",
        passes=pd.concat(begins) if begins else pd.Series(dtype=bool),
        holds=at_least(1),
        see="03-1-queue",
        missing=_MISSING,
    )
    for statement, name, rule, kind in (
        (
            "Behind a short queue workers can do more than what arrives.",
            "short",
            at_least(1),
            Kind.VALIDITY,
        ),
        (
            "Behind a long queue workers are slower and cannot catch up.",
            "long",
            at_most(1),
            Kind.FINDING,
        ),
    ):
        found.check(
            chapter,
            statement,
            quantity=f"M m / S of runs with the {name} queue over throughput with the short",
            measured=_mean([_could(getattr(cell, name), cell.short) for cell in told]),
            holds=rule,
            see="03-1-queue",
            missing=_MISSING,
            kind=kind,
        )


def _several(tables: Tables | None) -> Iterator[Regimes]:
    if tables is None:
        return
    runs = told_apart(tables.runs, tables.windows)
    seconds = told_apart(tables.windows, tables.windows)
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


def _could(runs: pd.DataFrame, short: pd.DataFrame) -> Estimate:
    """Estimate what workers could do in some runs over what arrives at those of the short queue.

    Of a regime that a single run was in, the error is not known.
    """
    return ratio_of(runs["most_ops_per_s"].tolist(), short["throughput_ops_per_s"].tolist())


def _mean(estimates: list[Estimate]) -> Estimate:
    """Estimate the mean of ratios of several configurations."""
    if not estimates:
        return mean_of([])
    return Estimate(
        value=float(np.mean([one.value for one in estimates])),
        error=float(np.sqrt(np.sum([one.error**2 for one in estimates])) / len(estimates)),
        freedom=min(one.freedom for one in estimates),
        is_ratio=True,
    )
