"""What the number of workers does: their bound by latency, and what they wait for beyond it."""

import math
from collections.abc import Sequence

import pandas as pd

from analysis.laws.bottlenecks import AFTER_WORKERS, BUSY, limiting
from analysis.laws.demands import MACHINE
from analysis.text.formatting import grouped
from analysis.text.lists import joined, span
from analysis.text.numbers import percent
from analysis.units import MS_PER_S

NEAR_BOUND = 0.8  # of what workers can do at best: from here on they are the limit themselves
LONGER = 1.01  # a service time above another by this factor is called longer
SYSTEM = ("workload", "workers")


def worker_table(runs: pd.DataFrame, by: Sequence[str] = SYSTEM) -> pd.DataFrame:
    r"""Compare what the workers did at the largest load with the most that they can do.

    A worker holds one job at a time for the service time S, so that M middlewares of m workers do

    .. math:: X \le M m / S

    S is shortest at the smallest load, when least waits behind the workers.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of sections with a middleware.
    by
        What makes a system; ends with ``workers``.

    Returns
    -------
    pandas.DataFrame
        One row per system: `by`, `num_middlewares`, `num_clients` (largest load),
        `fewest_clients` (smallest load), `shortest_service_time_ms` (at the smallest load;
        missing where only one was measured), `service_time_ms`,
        `most_ops_per_s` (of the shortest), `throughput_ops_per_s`, `share_of_most` (0..1),
        `worker_utilization` (0..1).
    """
    rows = []
    for key, system in runs.groupby([*by, "num_middlewares"]):
        means = system.groupby("num_clients")[
            [
                "middleware_service_time_ms",
                "middleware_throughput_ops_per_s",
                "middleware_worker_utilization",
            ]
        ].mean()
        last = means.iloc[-1]
        shortest = means["middleware_service_time_ms"].iloc[0] if len(means) > 1 else float("nan")
        levels = dict(zip([*by, "num_middlewares"], key, strict=True))
        total = int(system["num_middlewares"].iloc[0]) * int(system["workers"].iloc[0])
        most = total / shortest * MS_PER_S
        throughput = last["middleware_throughput_ops_per_s"]
        rows.append(
            {
                **levels,
                "num_clients": means.index[-1],
                "fewest_clients": means.index[0],
                "shortest_service_time_ms": shortest,
                "service_time_ms": last["middleware_service_time_ms"],
                "most_ops_per_s": most,
                "throughput_ops_per_s": throughput,
                "share_of_most": throughput / most,
                "worker_utilization": last["middleware_worker_utilization"],
            }
        )
    columns = [*by, "num_middlewares"]
    table = pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
    return table.astype({"workers": "int64"})


def worker_sentences(
    table: pd.DataFrame,
    by: Sequence[str] = SYSTEM,
    utilizations: pd.DataFrame | None = None,
    pings: pd.DataFrame | None = None,
) -> str:
    """Say of each system whether its workers were the limit, and how that is known.

    Parameters
    ----------
    table, by
        From and as for `worker_table`.
    utilizations
        From `analysis.laws.bottlenecks.utilization_table`: tells what the workers wait for. Its
        systems may be told apart by some of `by` only.
    pings
        `analysis.tables.frames.Tables.pings`: tell the round trip that is emulated.

    Returns
    -------
    str
        Markdown, one list item for all systems that differ in the number of workers alone and of
        which the same is to be said.
    """
    if table.empty:
        return ""
    reasons = table.apply(_reason, axis="columns", by=by, utilizations=utilizations)
    rows = pd.concat([table, reasons], axis="columns")
    rows["total"] = rows["workers"] * rows["num_middlewares"]
    others = [name for name in by if name != "workers"]
    same = [*others, "num_middlewares", "num_clients", "fewest_clients", "verdict", "behind"]
    lines = []
    for _, alike in rows.groupby(same, sort=False):
        first = alike.iloc[0]
        system = ", ".join(_level(name, first[name]) for name in others)
        name = f"{system}, {joined(alike['workers'])} workers"
        if first["num_middlewares"] > 1:
            name += f" in each of {first['num_middlewares']} middlewares"
        lines.append(f"- **{name}**: {_VERDICTS[first['verdict']](alike, _emulated_ms(pings))}")
    return "\n".join(lines)


def _level(name: str, level: object) -> str:
    return f"section {level}" if name == "section" else str(level)


def _reason(row: pd.Series, by: Sequence[str], utilizations: pd.DataFrame | None) -> pd.Series:
    """Tell the verdict on one system, what its workers wait for, and how busy the machine was."""
    behind, behind_share, machine_share = "", math.nan, math.nan
    if utilizations is not None:
        known = [name for name in by if name in utilizations]
        own = utilizations[(utilizations[known] == row[known]).all(axis="columns")]
        waits = limiting(own)
        waits = waits[waits["resource"].isin(AFTER_WORKERS)]
        if len(waits):
            behind, behind_share = waits.iloc[0][["resource", "utilization"]]
        machine_share = own.loc[own["resource"] == MACHINE, "utilization"].max()
    if pd.isna(row["most_ops_per_s"]):
        verdict = "one load"
    elif row["worker_utilization"] < BUSY:
        verdict = "idle"
    elif behind:
        verdict = "kept"
    else:
        verdict = "limit" if row["share_of_most"] >= NEAR_BOUND else "slow"
    return pd.Series(
        {
            "verdict": verdict,
            "behind": behind if verdict == "kept" else "",
            "behind_share": behind_share,
            "machine_share": machine_share,
        }
    )


def _emulated_ms(pings: pd.DataFrame | None) -> float:
    """Round trip that is emulated, undilated; not a number where none is known."""
    column = "emulated_round_trip_time_ms"
    return float(pings[column].max()) if pings is not None and column in pings else math.nan


def _one_load(rows: pd.DataFrame, _: float) -> str:
    busy = (rows["worker_utilization"] >= BUSY).all()
    return (
        f"{_did(rows)}, {'all workers are busy' if busy else _without_job(rows)}; only one load "
        "was measured, so that what a request takes without waiting is not known."
    )


def _idle(rows: pd.DataFrame, _: float) -> str:
    return f"{_bound(rows)}: {_without_job(rows)}, so they are not the limit."


def _kept(rows: pd.DataFrame, _: float) -> str:
    share = span(rows["behind_share"], percent)
    return (
        f"{_bound(rows)}: all workers are busy, but a service takes {_times(rows)}. They wait for "
        f"the {rows['behind'].iloc[0]} ({share}), and more workers would only wait there, too."
    )


def _limit(rows: pd.DataFrame, emulated_ms: float) -> str:
    longer = rows["service_time_ms"] / rows["shortest_service_time_ms"]
    more = f"{span(longer - 1, percent)} longer than" if longer.max() >= LONGER else "as long as"
    took = span(rows["service_time_ms"], "{:.2f}".format)
    parts = (
        f", {emulated_ms:g} ms of it the emulated round trip, the rest what links, server, "
        "middleware and the machine under them take"
        if emulated_ms > 0
        else ""
    )
    return (
        f"{_bound(rows)}: the workers are the limit. A service takes {took} ms, {more} at "
        f"{rows['fewest_clients'].iloc[0]} clients{parts}; more workers do more until something "
        "else is full."
    )


def _slow(rows: pd.DataFrame, _: float) -> str:
    told = f"{_bound(rows)}: all workers are busy, yet a service takes {_times(rows)}."
    machine = rows["machine_share"].dropna()
    if machine.empty:
        return (
            f"{told} They wait for something behind them, and more workers would only wait there, "
            "too."
        )
    return (
        f"{told} Nothing that is emulated behind them was busy all the time; the CPU of the "
        f"machine was for {span(machine, percent)} of it."
    )


_VERDICTS = {
    "one load": _one_load,
    "idle": _idle,
    "kept": _kept,
    "limit": _limit,
    "slow": _slow,
}


def _did(rows: pd.DataFrame) -> str:
    throughput = span(rows["throughput_ops_per_s"], grouped)
    return f"{throughput} op/s at {rows['num_clients'].iloc[0]} clients"


def _bound(rows: pd.DataFrame) -> str:
    most = f"about {span(rows['most_ops_per_s'], _about)} op/s"
    if len(rows) == 1:
        row = rows.iloc[0]
        most = f"{row['total']} / {row['shortest_service_time_ms']:.2f} ms, {most}"
    share = span(rows["share_of_most"], percent)
    return f"at best {most}; measured {_did(rows)} ({share})"


def _about(value: float) -> str:
    """Write a number above 1 with three significant digits."""
    return grouped(round(value, 2 - math.floor(math.log10(value))))


def _without_job(rows: pd.DataFrame) -> str:
    idle = (1 - rows["worker_utilization"]) * rows["total"]
    counts = idle.map("{:.0f} of the ".format) + rows["total"].astype(str)
    return f"{joined(counts)} workers have no job on average"


def _times(rows: pd.DataFrame) -> str:
    longer = rows["service_time_ms"] / rows["shortest_service_time_ms"]
    times = span(longer, "{:.1f}".format)
    return f"{times} times as long as at {rows['fewest_clients'].iloc[0]} clients"
