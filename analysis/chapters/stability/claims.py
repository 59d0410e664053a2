"""Chapter 8: a long run, second by second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from analysis.chapters.stability.dynamics import (
    PAUSE,
    UNEXPLAINED,
    find_events,
    match_events,
    pause_effects,
)
from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.statistics.estimates import exact, mean_of
from analysis.statistics.stationarity import BLOCKS, HALF, block_means, drift
from analysis.tables.frames import Tables

_TWO_HOURS_S = 7200  # of the clock: memory and files that grow have that long


def check(found: Findings) -> None:
    """Check whether runs are steady, and what servers that stand still do to it."""
    runs = list(_runs(found.tables("8")))
    _steady(found, runs)
    _events(found, runs)
    _pauses(found, runs)
    found.processors("8", see="08-1-utilization")


def _runs(tables: Tables | None) -> Iterator[tuple[pd.Series, Tables]]:
    """Yield each run of the section with the tables that tell its seconds."""
    if tables is None:
        return
    for _, run in tables.runs.iterrows():
        own = {
            name: frame[frame["repetition"] == run["repetition"]] if len(frame) else frame
            for name in ("windows", "servers", "pauses")
            for frame in [getattr(tables, name)]
        }
        yield run, replace(tables, **own)


def _steady(found: Findings, runs: list[tuple[pd.Series, Tables]]) -> None:
    """Check means over a run, of which each run has one: what differs within it is no sample."""
    means = [(run, block_means(run, own.windows)) for run, own in runs]
    known = [(run, blocks) for run, blocks in means if len(blocks)]
    drifts = [drift(blocks) for run, blocks in known if run["stable_s"] >= _TWO_HOURS_S]
    found.check(
        "8",
        "Throughput does not drift in two hours of the clock, as long as Schmid's run.",
        quantity=f"throughput, last {HALF} of {BLOCKS} blocks over the first, mean of runs",
        measured=mean_of(drifts),
        holds=equal_to(1, SAME),
        see="08-2-stationarity",
        missing="no run lasts two hours of the clock",
    )
    found.check(
        "8",
        "Collecting garbage takes at most a hundredth of the time.",
        quantity="share of a middleware's time, mean of runs",
        measured=mean_of([float(blocks["collected_share"].mean()) for _, blocks in known]),
        holds=at_most(0.01),
        see="08-1-trace",
    )
    found.law("8", see="08-1-trace")


def _events(found: Findings, runs: list[tuple[pd.Series, Tables]]) -> None:
    tables = [match_events(find_events(own.windows, own.servers), own.pauses) for _, own in runs]
    matched = pd.concat(tables) if tables else None
    right = stopped = unexplained = lengths = None
    if matched is not None:
        made = matched["made_host"].notna()
        stopped = int((made | (matched["cause"] == PAUSE)).sum())
        right = int((made & (matched["host"] == matched["made_host"])).sum())
        unexplained = int((matched["cause"] == UNEXPLAINED).sum())
        lengths = (matched["length_s"] / matched["made_length_s"]).tolist()
    found.check(
        "8",
        "Every pause is found with its server, and no other.",
        quantity="share of all pauses that were made or found",
        measured=exact(right / stopped if right is not None and stopped else float("nan")),
        holds=at_least(1),
        see="08-3-events",
    )
    found.check(
        "8",
        "No fall of throughput is without a cause.",
        quantity="number of events that nothing explains",
        measured=exact(float("nan") if unexplained is None else unexplained),
        holds=at_most(0),
        see="08-3-events",
    )
    found.check(
        "8",
        "A server that stands still stops everything for as long.",
        quantity="missing throughput in s over the length of the pause",
        measured=mean_of(lengths or []),
        holds=equal_to(1, 2 * SAME),
        see="08-3-events",
    )


def _pauses(found: Findings, runs: list[tuple[pd.Series, Tables]]) -> None:
    effects = _stacked(
        [pause_effects(run, own.windows, own.servers, own.pauses) for run, own in runs]
    )
    found.check(
        "8",
        "In a pause all jobs without a worker queue.",
        quantity="queue in pauses over N less M m, whole seconds",
        measured=mean_of((effects["queue_length"] / effects["jobs_without_worker"]).tolist()),
        holds=equal_to(1, SAME),
        see="08-3-pauses",
        kind=Kind.VALIDITY,  # each worker holds one job, none ends, and all others are counted
    )


def _stacked(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put frames below each other; without any, columns that claims ask for are empty."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled) if filled else _EMPTY


_EMPTY = pd.DataFrame(
    {name: pd.Series(dtype=float) for name in ("queue_length", "jobs_without_worker")}
)
