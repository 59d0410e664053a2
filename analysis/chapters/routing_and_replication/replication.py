"""Section 9: what copies of every key cost, and what the middleware does."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.laws.operational import interactive_throughput
from analysis.models.asymptotes import (
    PIPELINED,
    WORKERS,
    least_response_time,
    least_service_time,
    workers_wait,
)
from analysis.models.measured import measured_system
from analysis.models.system import System
from analysis.statistics.intervals import aggregate
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.studies.printed import khalils_numbers
from analysis.tables.frames import Tables
from analysis.text.formatting import Format
from analysis.units import MS_PER_S

SYSTEM = ("num_middlewares", "routing", "dispatch", "workers", "replicas")
RING = {"routing": "consistent-hash", "dispatch": "sequential"}
ROUND_TRIPS = "round trips"
LIMIT_FORMATS: dict[str, Format] = {"bound_ops_per_s": ",.0f", "share_of_bound": ".2f"}
_NONE = "none"  # routing and dispatch where there is no middleware; workers and copies are 0
_NUMBERS = ("replicas", "workers")


def with_systems(tables: Tables) -> Tables:
    """Tell in every row which system it is of, so that rows without a middleware make a group.

    Parameters
    ----------
    tables
        Of section 9, and of section 0 if it was measured.

    Returns
    -------
    Tables
        Of which all that are used here have the columns `SYSTEM`: numbers are whole, 0 where there
        is no middleware, and a factor that the section does not vary is the same in all rows.
    """
    runs = _with_system(tables.runs, tables.runs)
    return replace(
        tables,
        runs=runs,
        **{
            name: _with_system(getattr(tables, name), runs)
            for name in ("hosts", "request_types", "servers", "histograms")
        },
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out of a table what all middlewares have in common, and what clients alone have not.

    Where they differ in it, `routing` tells the dispatch, too: ``ring``, ``ring, pipelined``.
    """
    if "routing" in table and "dispatch" in table:
        pipelined = np.where(table["dispatch"] == PIPELINED, ", pipelined", "")
        ways: pd.Series = table["routing"].replace("consistent-hash", "ring") + pipelined
        table = table.assign(routing=ways).drop(columns="dispatch")
        if ways[ways != _NONE].nunique() < 2:
            table = table.drop(columns="routing")
    known = [name for name in ("replicas", "workers") if name in table]
    levels = {name: table[name].astype("Int64") for name in known}
    return table.assign(**{name: level.mask(level == 0) for name, level in levels.items()})


def of_ring(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of a ring whose workers wait; all that have a middleware, where none differ."""
    frame = frame[frame["num_middlewares"] > 0] if "num_middlewares" in frame else frame
    for name, level in RING.items():
        if name in frame and len(set(frame[name])) > 1:
            frame = frame[frame[name] == level]
    return frame


def request_counts(tables: Tables) -> pd.DataFrame:
    """Count what the clients asked for in the stable windows of all repetitions.

    A client that sends one set for 99 gets, the set first, may make none in a short window.

    Parameters
    ----------
    tables
        From `with_systems`.

    Returns
    -------
    pandas.DataFrame
        `SYSTEM`, `sets`, `gets`, `set_share` (fraction of sets).
    """
    types = tables.request_types
    run = [*SYSTEM, "repetition"]
    rows = types[types["side"] == "client"].merge(tables.runs[[*run, "stable_s"]], on=run)
    clock_rate = rows["throughput_ops_per_s"] / rows["time_dilation"]
    counts = rows.assign(requests=clock_rate * rows["stable_s"]).pivot_table(
        index=list(SYSTEM), columns="request_type", values="requests", aggfunc="sum", fill_value=0
    )
    counts = counts.reindex(columns=["set", "get"], fill_value=0).round().astype("int64")
    table = counts.set_axis(["sets", "gets"], axis="columns").reset_index()
    return table.assign(set_share=table["sets"] / (table["sets"] + table["gets"]))


def write_fraction(counts: pd.DataFrame) -> float:
    """Return the fraction of sets in rows of `request_counts`."""
    return float(counts["sets"].sum() / counts[["sets", "gets"]].to_numpy().sum())


def bounds_table(tables: Tables) -> pd.DataFrame:
    r"""Tell what links, round trips and workers alone allow each system at its number of clients.

    With a fraction f of sets, which a middleware sends to R servers, the demand of a link is
    :math:`D = (1 - f) D_{get} + f D_{set}(R)`; the bounds are those of
    `analysis.models.asymptotes`.

    Parameters
    ----------
    tables
        From `with_systems`; the round trips are those of section 0 if it was measured.

    Returns
    -------
    pandas.DataFrame
        `SYSTEM` (and `think_time_s` where it varies), `least_response_time_ms` (no bound of the
        throughput passed), `most_ops_per_s`, `limit` (what sets it: ``round trips``, ``workers``,
        or a link). A pipelining middleware's workers hold no request, and are no bound.
    """
    sets = write_fraction(request_counts(tables))
    rows = []
    names = with_think_time(tables.runs, SYSTEM)
    for levels, runs in tables.runs.groupby(names):
        of = dict(zip(names, levels, strict=True))
        get, put = (_as_if_all(tables, kind, of) for kind in ("get", "set"))
        demands = (1 - sets) * get.demands() + sets * put.demands()
        limits = {str(name): 1 / demand for name, demand in demands.items() if demand > 0}
        clients = int(runs["num_clients"].max())
        limits[ROUND_TRIPS] = clients / (least_response_time(get) + get.think_time)
        if get.middlewares and workers_wait(runs):
            limits[WORKERS] = get.middlewares * get.workers / least_service_time(get)
        limit = min(limits, key=lambda name: limits[name])
        least_s = clients / limits[limit] - get.think_time
        bound = {"most_ops_per_s": limits[limit], "limit": limit}
        rows.append({**of, "least_response_time_ms": least_s * MS_PER_S, **bound})
    return pd.DataFrame(rows)


def summary_table(cells: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Put what every system did beside its bound and the interactive law.

    Parameters
    ----------
    cells, bounds
        From `analysis.laws.summary.cells` of `with_systems`, and `bounds_table`.

    Returns
    -------
    pandas.DataFrame
        `SYSTEM` (`shown`), `limit`, `bound_ops_per_s`, throughput and response time at
        the clients with their `_sd`, `share_of_bound` (0..1), and `interactive_law_ops_per_s`, the
        throughput that follows from the response time.
    """
    known = bounds.merge(cells, on=[name for name in bounds if name in cells])
    known = known.rename(columns={"most_ops_per_s": "bound_ops_per_s"})
    thinking = [name for name in bounds if name == THINK_TIME]
    table = known[[*SYSTEM, *thinking, "limit", "bound_ops_per_s"]]
    for name, unit in (("throughput", "ops_per_s"), ("response_time", "ms")):
        for suffix, kind in (("", "mean"), ("_sd", "sd")):
            column = {f"{name}{suffix}_{unit}": known[f"client_{name}_{unit}_{kind}"]}
            table = table.assign(**column)
    law = known["interactive_law_throughput_ops_per_s_mean"]
    share = table["throughput_ops_per_s"] / table["bound_ops_per_s"]
    return shown(table.assign(share_of_bound=share, interactive_law_ops_per_s=law))


def service_times(tables: Tables, workers: int) -> pd.DataFrame:
    """Tell for how long sets and gets hold a worker, by copies.

    Parameters
    ----------
    tables
        From `with_systems`.
    workers
        Of a middleware.

    Returns
    -------
    pandas.DataFrame
        `replicas`, `request_type`, and of `service_time_ms` what
        `analysis.statistics.intervals.aggregate` gives.
    """
    types = of_ring(tables.request_types)
    inside = types[(types["side"] == "middleware") & (types["workers"] == workers)]
    return aggregate(inside, ["replicas", "request_type"], ["service_time_ms"])


def response_times(tables: Tables) -> dict[str, pd.DataFrame]:
    """Give the histograms of the response time without a middleware and by workers, one copy each.

    Parameters
    ----------
    tables
        From `with_systems`.

    Returns
    -------
    dict
        What a system is called, to its rows of `Tables.histograms`: most and fewest workers.
    """
    times = tables.histograms[tables.histograms["time"] == "response_time"]
    rings = of_ring(times)
    rings = rings[rings["replicas"] == 1]
    found = {"No middleware": times[times["num_middlewares"] == 0]} | {
        f"{workers} workers, R = 1": rings[rings["workers"] == workers]
        for workers in (rings["workers"].max(), rings["workers"].min())
    }
    return {name: rows for name, rows in found.items() if len(rows)}


def khalil_table(summary: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Put throughput and response time without and with a middleware beside Khalil's.

    Parameters
    ----------
    summary, runs
        From `summary_table`, and the runs of `with_systems`.

    Returns
    -------
    pandas.DataFrame
        `source`, `workers` and `replicas` (missing: no middleware, or not told), `num_clients`,
        `num_servers`, `throughput_ops_per_s`, `response_time_ms`, `interactive_law_ops_per_s`, and
        `relative_throughput`, to that without a middleware.
    """
    most = summary["replicas"].max()
    ours = summary[summary["replicas"].isna() | (summary["replicas"] == most)]
    ours = ours.assign(
        source="This campaign",
        num_clients=runs["num_clients"].max(),
        num_servers=runs["num_servers"].max(),
        think_time_s=runs[THINK_TIME].max(),
    )
    columns = ["source", "workers", "replicas", "num_clients", "num_servers"]
    columns += ["throughput_ops_per_s", "response_time_ms", THINK_TIME]
    table: pd.DataFrame = pd.concat([ours[columns], khalils_numbers()[columns]], ignore_index=True)
    direct = table[table["replicas"].isna()].groupby("source")["throughput_ops_per_s"].max()
    table["interactive_law_ops_per_s"] = interactive_throughput(
        table["num_clients"], table["response_time_ms"] / MS_PER_S, table.pop(THINK_TIME)
    )
    table["relative_throughput"] = table["throughput_ops_per_s"] / table["source"].map(direct)
    return table.astype(dict.fromkeys(["workers", "replicas"], "Int64"))


def _with_system(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Complete the columns `SYSTEM`; those that a table lacks are the same in all its rows."""
    middlewares = frame.get("num_middlewares", runs["num_middlewares"].iloc[0])
    table = frame.assign(num_middlewares=middlewares)
    first = runs[runs["num_middlewares"] > 0].head(1)
    for name in SYSTEM[1:]:
        same = first[name].iloc[0] if name in first and len(first) else np.nan
        column = table[name] if name in table else pd.Series(same, table.index, dtype=object)
        column = column.where(table["num_middlewares"] > 0)
        if name in _NUMBERS:
            numbers = pd.to_numeric(column.replace("all", int(runs["num_servers"].max())))
            table[name] = numbers.fillna(0).astype("int64")
        else:
            table[name] = column.astype(object).where(column.notna(), _NONE).astype(str)
    return table


def _as_if_all(tables: Tables, kind: str, of: Mapping[str, Any]) -> System:
    """Give the system as if all requests were of one kind, without processors."""
    runs, hosts = (frame.assign(workload=kind) for frame in (tables.runs, tables.hosts))
    system = measured_system(
        replace(tables, runs=runs, hosts=hosts),
        section=str(runs["section"].iloc[0]),
        workload=kind,
        factors=of,
        server_time=0.0,
    )
    return replace(system, net_thread_time=0.0)
