"""What one request needs of each part of a message queue, told by components and light loads alone.

No cell that a model predicts reaches these numbers: front-end threads are told by middlewares that
echo, the database by its runs as a component, workers and what is left by the lightest load of the
whole (`analysis.queues.parts.lightest_runs`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.measured import HALF_BUSY, network_delay
from analysis.models.system import System
from analysis.queues.parts import (
    SCALABILITY,
    database_runs,
    echo_runs,
    lightest_runs,
    plain_runs,
    with_databases,
)
from analysis.tables.frames import Tables
from analysis.text.lists import counted
from analysis.units import MS_PER_S

FRONT, WORKER, CPU = "front-end thread", "worker, processing", "database, CPU"


@dataclass(frozen=True, kw_only=True)
class Demands:
    """Seconds that one request needs; NaN where nothing that was measured tells it.

    Attributes
    ----------
    network_delay
        Of one message from host to host.
    net_thread_time
        CPU time of a middleware's front end.
    worker_time
        Processing in a worker.
    database_times
        Numbers of connections, ascending, and the CPU time of a database that has so many, of one
        CPU; at least one.
    other_time
        That a worker waits for the database beside its CPU and the network, whatever the load.
    """

    network_delay: float
    net_thread_time: float
    worker_time: float
    database_times: tuple[tuple[int, float], ...]
    other_time: float

    @property
    def known(self) -> bool:
        """Whether all of them are."""
        times = [seconds for _, seconds in self.database_times]
        others = (self.network_delay, self.net_thread_time, self.worker_time, self.other_time)
        return bool(times) and not any(map(math.isnan, (*times, *others)))

    def database_time(self, connections: float) -> float:
        """Return the CPU time of a database with so many connections.

        Between what is known on a straight line of logarithms, beyond it the same.
        """
        known = np.log(np.array(self.database_times))
        return float(np.exp(np.interp(np.log(connections), known[:, 0], known[:, 1])))


def measured_demands(tables: Tables) -> Demands:
    r"""Find the demands by the utilization law and from times where next to nothing waits.

    .. math:: D_{net} = M f U_{net} / X, \quad D_{db} = d c U_{CPU} / X

    with M middlewares of f front-end threads, and d databases of c CPUs, over the runs of a
    component alone that kept it half busy or more (at least its largest load); a database by its
    number of connections.

    Parameters
    ----------
    tables
        Of the sections that were measured. Where a component was not measured alone, the lightest
        loads of the whole tell of it.

    References
    ----------
    Jain 1991, section 33.2.
    """
    runs = with_databases(tables)
    light = lightest_runs(runs)
    delay = _delay(tables)
    alone, echo = database_runs(runs), echo_runs(runs)
    by_connections = _database_times(light if alone.empty else alone)
    threads = runs["num_middlewares"] * runs["net_threads"]
    used = threads * runs.get("middleware_net_thread_utilization", np.nan)
    runs = runs.assign(net_threads_used=used)
    front = (light if echo.empty else echo).index
    waited = _seconds(light, "middleware_servers_net_time_ms")
    speed = min(1.0, float(light["database_cpus_each"].mean())) if len(light) else 1.0
    fewest = by_connections[0][1] if by_connections else math.nan
    others = waited - 2 * delay - fewest / (1.0 if math.isnan(speed) else speed)
    return Demands(
        network_delay=delay,
        net_thread_time=_cpu_time(
            runs.loc[front], "net_threads_used", "middleware_net_thread_utilization"
        ),
        worker_time=_seconds(light, "middleware_processing_time_ms"),
        database_times=by_connections,
        other_time=max(others, 0.0) if not math.isnan(others) else math.nan,
    )


def demand_rows(demands: Demands) -> pd.DataFrame:
    """Lay the demands out as a table: `part`, `demand_ms`, `told_by`."""
    told = {
        "network, one message": (demands.network_delay, "the emulated round trip"),
        FRONT: (demands.net_thread_time, "middlewares that echo, utilization law"),
        WORKER: (demands.worker_time, "the lightest load of q2 and q4"),
        **{
            CPU if place == 0 else f"{CPU}, {connections} connections": (seconds, by)
            for place, (connections, seconds) in enumerate(demands.database_times)
            for by in (f"{counted(connections, 'connection')} alone, utilization law",)
            if place in (0, len(demands.database_times) - 1)
        },
        "database, other waits": (demands.other_time, "the lightest load of q2 and q4"),
    }
    rows = [(part, seconds * MS_PER_S, by) for part, (seconds, by) in told.items()]
    return pd.DataFrame(rows, columns=["part", "demand_ms", "told_by"])


def system_of(cell: Mapping[str, Any], demands: Demands) -> System:
    """Build the system of a cell: its hosts, workers, CPUs and think time, with those demands.

    Links take no time: a message of some hundred bytes needs some microseconds on them. A database
    of c CPUs has as many servers; c that is no whole number makes the next larger one slower.

    Parameters
    ----------
    cell
        `num_middlewares`, `workers`, `net_threads`, `num_databases`, `think_time_s`, and
        `database_cpus_each` (NaN: one).
    demands
        All known.

    Raises
    ------
    ValueError
        A demand is not known.
    """
    if not demands.known:
        raise ValueError(f"all demands must be known to build a system, got {demands}")
    cpus = float(cell.get("database_cpus_each", math.nan))
    cpus = 1.0 if math.isnan(cpus) else cpus
    cores = max(1, math.ceil(round(cpus, 6)))
    database_time = demands.database_time(int(cell["num_middlewares"]) * int(cell["workers"]))
    return System(
        middlewares=int(cell["num_middlewares"]),
        workers=int(cell["workers"]),
        net_threads=int(cell["net_threads"]),
        servers=int(cell["num_databases"]),
        server_cores=cores,
        request_bytes=0,
        reply_bytes=0,
        client_link_rate=math.inf,
        middleware_link_rate=math.inf,
        server_link_rate=math.inf,
        network_delay=demands.network_delay,
        think_time=float(cell["think_time_s"]),
        net_thread_time=demands.net_thread_time,
        worker_time=demands.worker_time + demands.other_time,
        server_time=database_time * cores / cpus,
    )


def service_growth(tables: Tables, demands: Demands) -> pd.DataFrame:
    r"""Tell for how long a request is at the database while there are j of them (Su's table 2).

    .. math:: j = X S

    by Little's law, at least 1, with the time S at the database beside network and `other_time`.

    Parameters
    ----------
    tables
        Of section q3.
    demands
        Of which the network's delay and the other time are taken off.

    Returns
    -------
    pandas.DataFrame
        One row per number of workers, by rising j: `requests` (j), `service_time_ms`,
        `service_rate_per_s` (of one of them), `database_cpus` (that the database may use). Empty
        where the database was not measured as a component.
    """
    alone = database_runs(with_databases(tables))
    if "middleware_servers_net_time_ms" not in alone:
        alone = alone.assign(middleware_servers_net_time_ms=np.nan)
    by = ["num_middlewares", "workers", "num_clients"]
    columns = ["middleware_servers_net_time_ms", "client_throughput_ops_per_s"]
    means = alone.groupby(by)[columns].mean().dropna().reset_index(drop=True)
    away_ms = (2 * demands.network_delay + demands.other_time) * MS_PER_S
    service_ms = (means["middleware_servers_net_time_ms"] - away_ms).clip(lower=1e-6)
    requests = (means["client_throughput_ops_per_s"] * service_ms / MS_PER_S).clip(lower=1.0)
    table = pd.DataFrame({"requests": requests, "service_time_ms": service_ms})
    table = table.groupby("requests", as_index=False).mean().sort_values("requests")
    return table.assign(
        service_rate_per_s=MS_PER_S / table["service_time_ms"],
        database_cpus=alone["database_cpus_each"].mean(),
    ).reset_index(drop=True)


def growth_by_workers(runs: pd.DataFrame) -> pd.DataFrame:
    """Tell for how long a worker holds a request, by the number of workers of all middlewares.

    Parameters
    ----------
    runs
        From `analysis.queues.parts.with_databases`.

    Returns
    -------
    pandas.DataFrame
        `all_workers`, `service_time_ms`, `service_rate_per_s` (of one worker), as his table 2, of
        section q2, and `database_ms`, the CPU time of a request at the database.
    """
    own = plain_runs(runs[runs["section"] == SCALABILITY])
    if "middleware_service_time_ms" not in own:
        own = own.assign(middleware_service_time_ms=np.nan)
    workers = (own["num_middlewares"] * own["workers"]).rename("all_workers")
    times = own["middleware_service_time_ms"].groupby(workers).mean().dropna()
    cpu_times = database_ms(own).groupby(workers).mean()
    return pd.DataFrame(
        {
            "service_time_ms": times,
            "service_rate_per_s": MS_PER_S / times,
            "database_ms": cpu_times.reindex(times.index),
        }
    ).reset_index()


def database_ms(runs: pd.DataFrame) -> pd.Series:
    """Return the CPU time that a request took at the databases in each run, D = U m / X."""
    times: pd.Series = runs["database_cpus_used"] / runs["client_throughput_ops_per_s"]
    return times * MS_PER_S


def _delay(tables: Tables) -> float:
    sections = sorted(set(tables.pings["section"])) if len(tables.pings) else []
    found = [network_delay(tables.pings, str(name)) for name in sections]
    known = [one["network_delay"] for one in found if one]
    return float(np.mean(known)) if known else math.nan


def _cpu_time(runs: pd.DataFrame, used: str, utilization: str) -> float:
    """CPU seconds of one request, over the runs of `_busy`."""
    if used not in runs or utilization not in runs:
        return math.nan
    busy = _busy(runs, used, utilization)
    return float((busy[used] / busy["client_throughput_ops_per_s"]).mean())


def _database_times(runs: pd.DataFrame) -> tuple[tuple[int, float], ...]:
    """Return `Demands.database_times`, of runs that kept the CPUs busy as `_cpu_time` has it."""
    if "database_cpus_used" not in runs:
        return ()
    busy = _busy(runs, "database_cpus_used", "database_utilization")
    connections = busy["num_middlewares"] * busy["workers"]
    seconds = busy["database_cpus_used"] / busy["client_throughput_ops_per_s"]
    means = seconds.groupby(connections).mean()
    return tuple(zip(map(int, means.index), map(float, means), strict=True))


def _busy(runs: pd.DataFrame, used: str, utilization: str) -> pd.DataFrame:
    """Keep the runs that kept the CPUs half busy; of none such, those of the largest load."""
    known = runs.dropna(subset=[used, "client_throughput_ops_per_s"])
    busy = known[known[utilization] >= HALF_BUSY]
    return known[known["num_clients"] == known["num_clients"].max()] if busy.empty else busy


def _seconds(runs: pd.DataFrame, column: str) -> float:
    return float(runs[column].mean() / MS_PER_S) if column in runs and len(runs) else math.nan
