"""Chapter 8: a long run, second by second."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.chapters.stability.dynamics import (
    PAUSE,
    UNEXPLAINED,
    find_events,
    match_events,
    pause_effects,
)
from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import SAME, Measurements, NotMeasured, once
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import idle_cpus, interactive_law
from analysis.statistics.estimates import Estimate, exact, mean_of
from analysis.statistics.stationarity import BLOCKS, HALF, block_means, drift
from analysis.tables.frames import Tables

_TWO_HOURS_S = 7200  # of the clock: memory and files that grow have that long
_PARTS = ("windows", "servers", "pauses")
chapter = Chapter("stability")


@once
def _runs(measured: Measurements) -> list[tuple[pd.Series, Tables]]:
    """Return each run of the section with the tables that tell its seconds."""
    tables = measured.tables("8")
    frames = {name: getattr(tables, name) for name in _PARTS}
    runs = []
    for _, run in tables.runs.iterrows():
        own = {
            name: frame[frame["repetition"] == run["repetition"]] if len(frame) else frame
            for name, frame in frames.items()
        }
        runs.append((run, replace(tables, **own)))
    return runs


@once
def _blocks(measured: Measurements) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Return means over each run, of which each has one: what differs within it is no sample."""
    means = [(run, block_means(run, own.windows)) for run, own in _runs(measured)]
    return [(run, blocks) for run, blocks in means if len(blocks)]


@chapter.claim(
    "8",
    "08-2-stationarity",
    f"throughput, last {HALF} of {BLOCKS} blocks over the first, mean of runs",
    equal_to(1, SAME),
    missing="no run lasts two hours of the clock",
)
def throughput_does_not_drift(measured: Measurements) -> Estimate:
    """Throughput does not drift during two hours, the length of Schmid's run."""
    blocks = _blocks(measured)
    return mean_of([drift(own) for run, own in blocks if run["stable_s"] >= _TWO_HOURS_S])


@chapter.claim("8", "08-1-trace", "share of a middleware's time, mean of runs", at_most(0.01))
def little_garbage_collection(measured: Measurements) -> Estimate:
    """Garbage collection takes at most 1 % of a middleware's time."""
    return mean_of([float(own["collected_share"].mean()) for _, own in _blocks(measured)])


interactive_law(chapter, "8", see="08-1-trace")


@once
def _events(measured: Measurements) -> pd.DataFrame:
    return pd.concat(
        match_events(find_events(own.windows, own.servers), own.pauses)
        for _, own in _runs(measured)
    )


@chapter.claim("8", "08-3-events", "share of pauses made or found that are both", at_least(1))
def every_pause_is_found(measured: Measurements) -> Estimate:
    """The analysis of dynamics finds every pause of a server, and no pause that was not made."""
    events = _events(measured)
    made = events["made_host"].notna()
    stopped = int((made | (events["cause"] == PAUSE)).sum())
    if not stopped:
        raise NotMeasured
    return exact(int((made & (events["host"] == events["made_host"])).sum()) / stopped)


@chapter.claim("8", "08-3-events", "number of events that nothing explains", at_most(0))
def every_fall_has_a_cause(measured: Measurements) -> Estimate:
    """The analysis of dynamics explains every drop of throughput."""
    return exact(int((_events(measured)["cause"] == UNEXPLAINED).sum()))


@chapter.claim(
    "8",
    "08-3-events",
    "lost throughput in seconds over the length of the pause",
    equal_to(1, 2 * SAME),
)
def a_paused_server_stops_everything(measured: Measurements) -> Estimate:
    """While one server is paused, the whole system completes no requests."""
    events = _events(measured)
    return mean_of((events["length_s"] / events["made_length_s"]).tolist())


@chapter.claim(
    "8",
    "08-3-pauses",
    "queue length in pauses over N - M m, whole seconds",
    equal_to(1, SAME),
    kind=Kind.VALIDITY,  # each worker holds one job, none ends, and all others are counted
)
def jobs_queue_in_pauses(measured: Measurements) -> Estimate:
    """During a pause, all clients without a worker wait in the job queue (N - M m jobs)."""
    effects = [
        pause_effects(run, own.windows, own.servers, own.pauses) for run, own in _runs(measured)
    ]
    filled = [own["queue_length"] / own["jobs_without_worker"] for own in effects if len(own)]
    return mean_of([share for own in filled for share in own])


idle_cpus(chapter, "8", see="08-1-utilization")
