"""What single choices cost a message queue: locks, commits, empty queues, open transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.chapters.message_queues.demands import database_ms
from analysis.chapters.message_queues.networks import THROUGHPUT
from analysis.chapters.message_queues.runs import AS_IT_IS, SECTIONS, whole_runs
from analysis.statistics.estimates import Estimate, mean_of, ratio_of
from analysis.tables.frames import SETTINGS

SKIP_LOCKED, ROW_LOCKS = "skip-locked", "row-locks"
CHOICES: dict[str, tuple[str, object, object, dict[str, object]]] = {
    # what was chosen, to its factor, that level and the other, and where
    "SKIP LOCKED, not row locks": ("locks", SKIP_LOCKED, ROW_LOCKS, {}),
    "commits do not wait, in memory": ("synchronous_commit", False, True, {"durable": False}),
    "commits do not wait, on a disk": ("synchronous_commit", False, True, {"durable": True}),
    "on a disk, not in memory": ("durable", True, False, {"synchronous_commit": True}),
    "no autovacuum": ("autovacuum", False, True, {}),
    "a second database": ("num_databases", 2, 1, {}),
}
BEFORE, DURING, AFTER = "before", "during", "after"
POLLS, MESSAGES = "empty queues", "messages"
EMPTY = 0.9  # of the requests, from which on a run polls empty queues
_ALIKE = [
    *("section", "num_clients", "think_time_s", "num_middlewares", "workers", "net_threads"),
    *("num_databases", "database_cpus_each"),
]
SETTLED_S = 5.0  # after the transaction has ended, left out
_COLUMNS = ["throughput_ops_per_s", "over_before", "seconds"]


def paired_runs(runs: pd.DataFrame, factor: str, levels: Sequence[object]) -> pd.DataFrame:
    """Return the runs of the whole system that differ in one factor alone, all its levels there.

    Parameters
    ----------
    runs
        From `runs.with_databases`.
    factor
        Column, such as ``locks``.
    levels
        Two of its levels.

    Returns
    -------
    pandas.DataFrame
        Rows of `runs` with `pair`, a number that those have in common whose section, clients and
        other settings are the same; empty where no two runs differ so.
    """
    own = whole_runs(runs[runs["section"].isin(SECTIONS)])
    if factor not in own or own.empty:
        return own.iloc[:0].assign(pair=pd.Series(dtype="int64"))
    own = own[own[factor].isin(list(levels))]
    others = [name for name in ("section", "workload", "num_clients", *SETTINGS) if name in own]
    others = [name for name in others if name != factor]
    groups = own.groupby(others, dropna=False)
    complete = groups[factor].transform("nunique") == len(levels)
    return own.assign(pair=groups.ngroup())[complete]


def ratio_of_levels(
    runs: pd.DataFrame,
    factor: str,
    above: object,
    below: object,
    *,
    largest: bool = True,
    where: Mapping[str, object] | None = None,
) -> Estimate:
    """Estimate the ratio of throughputs at two levels of a factor, all else the same.

    Parameters
    ----------
    runs
        From `runs.with_databases`.
    largest
        Whether of the pair with the most workers, and of those the most clients, or the fewest.
    where
        Levels that both must have.
    """
    pairs = paired_runs(_where(runs, where or {}), factor, (above, below))
    if pairs.empty:
        return mean_of([])
    chosen = _at_most_load(pairs, largest=largest)
    values = [chosen.loc[chosen[factor] == level, THROUGHPUT].tolist() for level in (above, below)]
    return ratio_of(*values)


def choices_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Tell what each choice changes at the most workers and clients that were measured both ways.

    Parameters
    ----------
    runs
        From `runs.with_databases`.

    Returns
    -------
    pandas.DataFrame
        One row per choice that was measured, empty queues in place of messages among them:
        `choice`, `num_clients`, `all_workers`, `throughput_ops_per_s`, `otherwise_ops_per_s`,
        `ratio` with `ci_low` and `ci_high` (95 %), and what a database's CPUs spend on a request,
        `database_ms` and `otherwise_ms`.
    """
    columns = ["choice", "num_clients", "all_workers", "throughput_ops_per_s"]
    columns += ["otherwise_ops_per_s", "ratio", "ci_low", "ci_high", "database_ms", "otherwise_ms"]
    rows = []
    for choice, (factor, above, below, where) in CHOICES.items():
        pairs = _at_most_load(paired_runs(_where(runs, where), factor, (above, below)))
        if len(pairs):
            both = [pairs[pairs[factor] == level] for level in (above, below)]
            rows.append(_choice_row(choice, *both))
    polls = polling_runs(runs)
    both = [polls[polls["kind"] == kind] for kind in (POLLS, MESSAGES)]
    if all(map(len, both)):
        rows.append(_choice_row("polling empty queues", *both))
    return pd.DataFrame(rows, columns=columns)


def polling_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that poll empty queues, and those beside them that have messages.

    A run polls empty queues where nine of ten requests find nothing, in the stable window if the
    middlewares tell it.

    Parameters
    ----------
    runs
        From `runs.with_databases`.

    Returns
    -------
    pandas.DataFrame
        Rows of `runs` without what is varied otherwise (`runs.AS_IT_IS`), of the
        systems and loads that have both, at the most clients that poll: `kind` (``messages``,
        ``empty queues``), and `database_ms` (CPU time of the databases for a request). Empty where
        no run polls, or databases do not count their CPU time.
    """
    own = whole_runs(runs[runs["section"].isin(SECTIONS)])
    if "queue_mix" not in own or "client_miss_rate" not in own:
        return own.iloc[:0].assign(kind="", database_ms=pd.Series(dtype=float))
    for name, level in AS_IT_IS.items():
        if name in own:
            own = own[own[name].isna() | (own[name] == level)]
    own = own[own["database_cpus_used"].notna()]
    inside = own.get("middleware_miss_rate", pd.Series(np.nan, own.index))
    misses = inside.fillna(own["client_miss_rate"]).fillna(0) >= EMPTY
    own = own.assign(kind=np.where(misses, POLLS, MESSAGES), database_ms=database_ms(own))
    polls = own[own["kind"] == POLLS]
    alike = polls.loc[polls["num_clients"] == polls["num_clients"].max(), _ALIKE]
    chosen: pd.DataFrame = own.merge(alike.drop_duplicates(), on=_ALIKE)
    return chosen


def around(windows: pd.DataFrame, start_s: float, length_s: float) -> pd.DataFrame:
    """Tell the throughput of a run before, during and after something that was done to it.

    Parameters
    ----------
    windows
        `analysis.tables.frames.Tables.windows` of one run.
    start_s, length_s
        When it began, in seconds of the clock since the stable window did, and for how long.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``before``, ``during`` and ``after``: `throughput_ops_per_s` (at the clients,
        mean of whole seconds; those just after the end are left out), `over_before` (the share of
        what was before), `seconds` (how many). Without a second it is missing.
    """
    clients = windows[windows["stable"] & (windows["side"] == "client")].set_index("second_s")
    done = clients["throughput_ops_per_s"].sort_index()
    end_s = start_s + length_s
    seconds = done.index.to_numpy(dtype=float)
    chosen = {
        BEFORE: seconds + 1 <= start_s,
        DURING: (seconds >= start_s) & (seconds + 1 <= end_s),
        AFTER: seconds >= end_s + SETTLED_S,
    }
    rows = {name: (done[own].mean(), int(own.sum())) for name, own in chosen.items()}
    table = pd.DataFrame(rows, index=["throughput_ops_per_s", "seconds"]).T
    done_before = table["throughput_ops_per_s"].loc[BEFORE]
    return table.assign(over_before=table["throughput_ops_per_s"] / done_before)[_COLUMNS]


def blocks_during(windows: pd.DataFrame, start_s: float, length_s: float, count: int) -> pd.Series:
    """Tell how throughput changes while something lasts: means of so many parts of it.

    Parameters
    ----------
    windows, start_s, length_s
        As for `around`.
    count
        Parts of equal length.

    Returns
    -------
    pandas.Series
        Over `BEFORE`'s mean, one value per part that has a whole second.
    """
    before = around(windows, start_s, length_s)["throughput_ops_per_s"].loc[BEFORE]
    clients = windows[windows["stable"] & (windows["side"] == "client")]
    inside = clients[clients["second_s"].between(start_s, start_s + length_s - 1)]
    part = np.floor((inside["second_s"] - start_s) / length_s * count).clip(upper=count - 1)
    means: pd.Series = inside.groupby(part)["throughput_ops_per_s"].mean() / before
    return means.rename_axis("part")


def open_transactions(events: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Tell what transactions that were left open did to the throughput of their runs.

    Parameters
    ----------
    events
        One row per transaction: what tells its run from others, `start_s`, `length_s`.
    windows
        `analysis.tables.frames.Tables.windows` of those runs.

    Returns
    -------
    pandas.DataFrame
        One row per transaction: `repetition`, `lasted_s` (undilated), `before_ops_per_s`, and
        `during`, `at_its_end` (its last third) and `after`, over before.
    """
    columns = ["repetition", "lasted_s", "before_ops_per_s", "during", "at_its_end", "after"]
    rows = []
    told = ("start_s", "length_s", "host", "time_dilation")
    for event in events.to_dict("records"):
        key = [name for name in event if name not in told and name in windows]
        own = windows[np.logical_and.reduce([_equal(windows[name], event[name]) for name in key])]
        start_s, length_s = float(event["start_s"]), float(event["length_s"])
        found = around(own, start_s, length_s)
        thirds = blocks_during(own, start_s, length_s, 3)
        rows.append(
            {
                "repetition": event["repetition"],
                "lasted_s": length_s / float(event.get("time_dilation", 1.0)),
                "before_ops_per_s": found["throughput_ops_per_s"].loc[BEFORE],
                "during": found["over_before"].loc[DURING],
                "at_its_end": thirds.iloc[-1] if len(thirds) else np.nan,
                "after": found["over_before"].loc[AFTER],
            }
        )
    return pd.DataFrame(rows, columns=columns)


def _where(runs: pd.DataFrame, levels: Mapping[str, object]) -> pd.DataFrame:
    """Return the runs with some levels; a level that no run tells is that of all."""
    for name, level in levels.items():
        if name in runs:
            runs = runs[runs[name] == level]
    return runs


def _choice_row(choice: str, chosen: pd.DataFrame, others: pd.DataFrame) -> tuple[Any, ...]:
    estimate = ratio_of(chosen[THROUGHPUT].tolist(), others[THROUGHPUT].tolist())
    first = chosen.iloc[0]
    told = (choice, int(first["num_clients"]), int(first["num_middlewares"] * first["workers"]))
    means = (chosen[THROUGHPUT].mean(), others[THROUGHPUT].mean())
    spent = (database_ms(chosen).mean(), database_ms(others).mean())
    return (*told, *means, estimate.value, *estimate.interval(), *spent)


def _at_most_load(pairs: pd.DataFrame, *, largest: bool = True) -> pd.DataFrame:
    """Choose the pair with the most workers, and of those the most clients, or with the fewest."""
    if pairs.empty:
        return pairs
    load = pairs["num_middlewares"] * pairs["workers"] * 1e6 + pairs["num_clients"]
    chosen = pairs[load == (load.max() if largest else load.min())]
    pair: pd.DataFrame = chosen[chosen["pair"] == chosen["pair"].iloc[0]]
    return pair


def _equal(values: pd.Series, level: object) -> pd.Series:
    return values.isna() if pd.isna(level) else values == level  # type: ignore[call-overload]
