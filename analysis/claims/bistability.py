"""Where regimes come from: workers that serve more slowly the more jobs wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.claims.findings import Findings
from analysis.claims.rules import at_least, at_most
from analysis.statistics.estimates import Estimate, mean_of
from analysis.statistics.precision.told_apart import REGIME, told_apart
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

_SERVICE_TIME = "service_time_ms"
_LEAST_QUEUE = 0.1  # of the clients, as regimes differ at least


@dataclass(frozen=True, kw_only=True)
class Regimes:
    """The seconds of a configuration whose repetitions are in more than one regime.

    Attributes
    ----------
    short, long : pandas.DataFrame
        Seconds of the middlewares in the stable window, of the shortest and of the longest queue.
    beginnings : pandas.Series
        Queue length of each repetition in its first second with requests, over the clients.
    workers : int
        Of all middlewares.
    """

    short: pd.DataFrame
    long: pd.DataFrame
    beginnings: pd.Series
    workers: int


def check(found: Findings, *sections: str) -> None:
    """Check, by the seconds of runs in two regimes, that each regime keeps itself up."""
    told = [cell for name in sections for cell in _several(found.tables(name))]
    chapter = sections[0].partition(".")[0]
    found.check(
        chapter,
        "Runs that part into two regimes all begin with a queue.",
        quantity="queue in the first second over clients",
        measured=mean_of([share for cell in told for share in cell.beginnings]),
        holds=at_least(_LEAST_QUEUE),
        see="03-1-queue",
    )
    found.check(
        chapter,
        "Behind a short queue workers can do more than what arrives.",
        quantity="M m / S of the short queue over its throughput",
        measured=_mean([_could(cell, cell.short) for cell in told]),
        holds=at_least(1),
        see="03-1-queue",
    )
    found.check(
        chapter,
        "Behind a long queue they are slower and cannot catch up.",
        quantity="M m / S of the long queue over throughput of the short",
        measured=_mean([_could(cell, cell.long) for cell in told]),
        holds=at_most(1),
        see="03-1-queue",
    )


def _several(tables: Tables | None) -> Iterator[Regimes]:
    if tables is None:
        return
    runs = told_apart(tables.runs, tables.windows)
    seconds = told_apart(tables.windows, tables.windows)
    key = [name for name in list(seconds)[: list(seconds).index("side")] if name != "repetition"]
    inside = seconds[(seconds["side"] == "middleware") & (seconds[REGIME] != "")]
    for level, cell in inside.groupby(key, dropna=False):
        stable = cell[cell["stable"]]
        first = cell[cell["throughput_ops_per_s"] > 0]
        of_cell = runs[(runs[key] == pd.Series(dict(zip(key, level, strict=True)))).all(axis=1)]
        each = first.sort_values("second_s").groupby("repetition")["queue_length"].first()
        yield Regimes(
            short=stable[stable[REGIME] == stable[REGIME].min()],
            long=stable[stable[REGIME] == stable[REGIME].max()],
            beginnings=each / cell["num_clients"].iloc[0],
            workers=int((of_cell["workers"] * of_cell["num_middlewares"]).iloc[0]),
        )


def _could(cell: Regimes, seconds: pd.DataFrame) -> Estimate:
    """Estimate what workers could do at the service time of some seconds, over what arrives."""
    service, arriving = _of_seconds(seconds, _SERVICE_TIME), _of_seconds(cell.short)
    most = cell.workers / service.value * MS_PER_S
    relative = np.array([service.error / service.value, arriving.error / arriving.value]) ** 2
    freedom = np.array([service.freedom, arriving.freedom])
    total = float(relative.sum())
    return Estimate(
        value=most / arriving.value,
        error=float(np.sqrt(total)),
        freedom=float(total**2 / (relative**2 / freedom).sum()) if total else np.inf,
        is_ratio=True,
    )


def _of_seconds(seconds: pd.DataFrame, column: str = "throughput_ops_per_s") -> Estimate:
    """Estimate a mean over runs from their seconds, as an AR(1) process.

    Correlation of neighbours that is above 0 widens the error by (1 + r) / (1 - r).
    """
    runs = [run.sort_values("second_s")[column] for _, run in seconds.groupby("repetition")]
    variances = []
    for run in runs:
        away = (run - run.mean()).to_numpy()
        squares = float(away @ away)
        r = max(0.0, float(away[1:] @ away[:-1]) / squares) if squares else 0.0
        variances.append(float(run.var(ddof=1)) / len(run) * (1 + r) / (1 - r))
    return Estimate(
        value=float(np.mean([run.mean() for run in runs])),
        error=float(np.sqrt(np.sum(variances)) / len(runs)),
        freedom=float(sum(len(run) - 1 for run in runs)),
    )


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
