"""What was measured of message queues beside what Su's study prints (2015)."""

from __future__ import annotations

import pandas as pd

from analysis.chapters.message_queues.demands import (
    CPU,
    FRONT,
    WORKER,
    Demands,
    database_ms,
    demand_rows,
    growth_by_workers,
)
from analysis.chapters.message_queues.evidence import Evidence, most_of
from analysis.chapters.message_queues.lines import over_clients
from analysis.chapters.message_queues.networks import utilizations
from analysis.chapters.message_queues.runs import MOST, database_runs, echo_runs, plain_runs
from analysis.studies.printed import published_table

STUDY = "su2015"
WHOLE = "whole system"
LAW = {
    "num_clients": "num_clients",
    "think_time_s": "think_time_s",
    "client_throughput_ops_per_s_mean": "throughput_ops_per_s",
    "interactive_law_throughput_ops_per_s_mean": "law_throughput_ops_per_s",
    "client_response_time_ms_mean": "response_time_ms",
    "interactive_law_response_time_ms_mean": "law_response_time_ms",
}


def growth_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Put the service time by number of workers beside Su's table 2.

    Parameters
    ----------
    runs
        From `runs.with_databases`.

    Returns
    -------
    pandas.DataFrame
        `all_workers`, `service_time_ms`, `service_rate_per_s` (of one worker), `database_ms` (CPU
        time of a request at the database), `su2015_ms`, `su2015_per_s` (missing where he has no
        such number of workers), and of both how many times as long it is as with the fewest
        workers, `times_longer` and `su2015_times_longer`.
    """
    ours = growth_by_workers(runs)
    theirs = published_table(STUDY, "t2_service").rename(
        columns={
            "worker_threads": "all_workers",
            "service_ms": "su2015_ms",
            "service_rate_req_s": "su2015_per_s",
        }
    )
    table = ours.merge(theirs[["all_workers", "su2015_ms", "su2015_per_s"]], how="left")
    fewest = theirs["su2015_ms"].iloc[0]
    return table.assign(
        times_longer=table["service_time_ms"] / table["service_time_ms"].iloc[:1].sum(),
        su2015_times_longer=table["su2015_ms"] / fewest,
    )


def law_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Read the interactive law both ways for the loads of section q4, as Su's tables 5 and 6.

    Parameters
    ----------
    cells
        From `networks.queue_cells`.

    Returns
    -------
    pandas.DataFrame
        `num_clients`, `think_time_s`, `throughput_ops_per_s` and what response time and law make of
        it, `response_time_ms` and what throughput and law make of it, means over repetitions, and
        the differences over the law's, `throughput_difference`, `response_time_difference`.
    """
    own = cells[cells["section"] == MOST].reindex(columns=list(LAW))
    table = own.rename(columns=LAW).sort_values(["think_time_s", "num_clients"], ignore_index=True)
    for name, unit in (("throughput", "ops_per_s"), ("response_time", "ms")):
        law = table[f"law_{name}_{unit}"]
        table[f"{name}_difference"] = table[f"{name}_{unit}"] / law - 1
    return table


def component_table(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    """Put what one request needs of each part, and what parts do at most, beside what Su measured.

    Parameters
    ----------
    runs
        From `runs.with_databases`.
    demands
        From `demands.measured_demands`.

    Returns
    -------
    pandas.DataFrame
        As `demands.demand_rows`, and `most_ops_per_s` (measured of middlewares that
        echo, of the database alone, and in a last row of the whole system), `su2015_ms` (by table 3
        and text), `su2015_ops_per_s`; missing is what was not measured, or not printed.
    """
    stations = published_table(STUDY, "t3_network").set_index("station")["service_ms"]
    prose = published_table(STUDY, "prose").set_index(["subject", "quantity"])["value"]
    printed = pd.to_numeric(prose, errors="coerce")
    whole = plain_runs(runs[runs["section"] == MOST])
    last = pd.DataFrame([{"part": WHOLE, "demand_ms": float("nan"), "told_by": "section q4"}])
    table = pd.concat([demand_rows(demands), last]).set_index("part")
    columns: dict[str, dict[str, float]] = {
        "most_ops_per_s": {
            FRONT: most_of(echo_runs(runs)).mean(),
            CPU: most_of(database_runs(runs)).mean(),
            WHOLE: most_of(whole).mean(),
        },
        "su2015_ms": {
            FRONT: float(stations["frontend"]),
            WORKER: float(stations["backend"]),
            CPU: float(stations["database"]),
        },
        "su2015_ops_per_s": {
            CPU: float(printed["database", "maximum measured throughput"]),
            WHOLE: float(published_table(STUDY, "t6_interactive")["X_meas_req_s"].max()),
        },
    }
    for name, values in columns.items():
        table[name] = pd.Series(values, dtype=float)
    return table.reset_index()


def load_table(measured: Evidence) -> pd.DataFrame:
    """Put `law_table` and how busy stations are beside each other, for the system as it is.

    Returns
    -------
    pandas.DataFrame
        The columns of `law_table` but the think time and the differences, the utilizations of
        `front_end`, `workers_busy` and `database`, `database_predicted` (0..1), `database_ms` (CPU
        time of a request at the database), and how busy the `machine` was that carries all others.
    """
    loads, _ = over_clients(measured)
    table = law_table(loads)
    by = ["num_middlewares", "workers", "net_threads", "num_databases", "think_time_s"]
    plain = measured.plain(MOST)
    if len(loads):
        plain = plain.merge(loads[by].drop_duplicates(), on=by)
        cpus = loads["database_cpus"].iloc[0]
        each = plain["database_cpus_each"].round(3)
        plain = plain[each.isna() if pd.isna(cpus) else each == cpus]
    busy = utilizations(plain, measured.demands)
    told = {"database_ms": database_ms(plain), "machine": plain["machine_utilization"]}
    for name, values in told.items():
        busy[name] = busy["num_clients"].map(values.groupby(plain["num_clients"]).mean())
    names = ["front_end", "workers_busy", "database", "database_predicted", *told]
    shown = [name for name in table if name in LAW.values() and name != "think_time_s"]
    return table[shown].merge(busy[["num_clients", *names]], on="num_clients", how="left")
