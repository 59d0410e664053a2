"""Chapter 8: a long run, second by second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.sections.dynamics import (
    PAUSE,
    UNEXPLAINED,
    block_means,
    find_events,
    match_events,
    pause_effects,
)
from analysis.statistics.estimates import exact, mean_of
from analysis.statistics.stationarity import BLOCKS
from analysis.tables.frames import Tables

_HALF = BLOCKS // 2
_TWO_HOURS_S = 7200  # of the clock: memory and files that grow have that long


def check(found: Findings) -> None:
    """Check whether the run is steady, and what servers that stand still do to it."""
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
    blocks = [block_means(run, own.windows).assign(run_s=run["stable_s"]) for run, own in runs]
    first, last = (_stacked([table[half] for table in blocks]) for half in _halves())
    long = [half[half["run_s"] >= _TWO_HOURS_S] for half in (first, last)]
    for statement, (before, after) in (
        ("Throughput does not drift.", (first, last)),
        ("Nor does it in two hours of the clock, as long as Schmid's.", long),
    ):
        found.check(
            "8",
            statement,
            quantity=f"throughput, last {_HALF} of {BLOCKS} blocks of a run over the first",
            measured=ratio(after["throughput_ops_per_s"], before["throughput_ops_per_s"]),
            holds=equal_to(1, SAME),
            see="08-2-stationarity",
        )
    both = _stacked([first, last])
    found.check(
        "8",
        "Throughput and response time obey the interactive law.",
        quantity=f"X (R + Z) / N, {BLOCKS} blocks of a run",
        measured=mean_of(both["jobs_per_client"].tolist()),
        holds=equal_to(1, SAME),
        see="08-1-trace",
        kind=Kind.VALIDITY,
    )
    found.check(
        "8",
        "Collecting garbage takes at most a hundredth of the time.",
        quantity=f"share of a middleware's time, {BLOCKS} blocks of a run",
        measured=mean_of(both["collected_share"].tolist()),
        holds=at_most(0.01),
        see="08-1-trace",
    )


def _halves() -> tuple[slice, slice]:
    return slice(None, _HALF), slice(_HALF, None)


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
    )


def _stacked(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put frames below each other; without any, columns that claims ask for are empty."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled) if filled else _EMPTY


_EMPTY = pd.DataFrame(
    {
        name: pd.Series(dtype=float)
        for name in (
            "run_s",
            "throughput_ops_per_s",
            "jobs_per_client",
            "collected_share",
            "queue_length",
            "jobs_without_worker",
        )
    }
)
