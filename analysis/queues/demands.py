"""What one request needs of each part of a message queue, told by components and light loads alone.

No cell that a model predicts reaches these numbers: front-end threads are told by middlewares that
echo, the database by its runs as a component, workers and what is left by the lightest load of the
whole (`analysis.queues.parts.lightest_runs`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
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
    database_time
        CPU time of a database, of one CPU.
    other_time
        That a worker waits for the database beside its CPU and the network, whatever the load.
    """

    network_delay: float
    net_thread_time: float
    worker_time: float
    database_time: float
    other_time: float

    @property
    def known(self) -> bool:
        """Whether all of them are."""
        return not any(math.isnan(value) for value in asdict(self).values())


def measured_demands(tables: Tables) -> Demands:
    r"""Find the demands by the utilization law and from times where next to nothing waits.

    .. math:: D_{net} = M f U_{net} / X, \quad D_{db} = d c U_{CPU} / X

    with M middlewares of f front-end threads, and d databases of c CPUs, over the runs of a
    component alone that kept it half busy or more (at least its largest load).

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
    database_time = _cpu_time(
        light if alone.empty else alone, "database_cpus_used", "database_utilization"
    )
    threads = runs["num_middlewares"] * runs["net_threads"]
    used = threads * runs.get("middleware_net_thread_utilization", np.nan)
    runs = runs.assign(net_threads_used=used)
    front = (light if echo.empty else echo).index
    waited = _seconds(light, "middleware_servers_net_time_ms")
    speed = min(1.0, float(light["database_cpus_each"].mean())) if len(light) else 1.0
    others = waited - 2 * delay - database_time / (1.0 if math.isnan(speed) else speed)
    return Demands(
        network_delay=delay,
        net_thread_time=_cpu_time(
            runs.loc[front], "net_threads_used", "middleware_net_thread_utilization"
        ),
        worker_time=_seconds(light, "middleware_processing_time_ms"),
        database_time=database_time,
        other_time=max(others, 0.0) if not math.isnan(others) else math.nan,
    )


def demand_rows(demands: Demands) -> pd.DataFrame:
    """Lay the demands out as a table: `part`, `demand_ms`, `told_by`."""
    told = {
        "network, one message": (demands.network_delay, "the emulated round trip"),
        FRONT: (demands.net_thread_time, "middlewares that echo, utilization law"),
        WORKER: (demands.worker_time, "the lightest load of q2 and q4"),
        CPU: (demands.database_time, "the database as a component, utilization law"),
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
        server_time=demands.database_time * cores / cpus,
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
        section q2.
    """
    own = plain_runs(runs[runs["section"] == SCALABILITY])
    if "middleware_service_time_ms" not in own:
        own = own.assign(middleware_service_time_ms=np.nan)
    workers = (own["num_middlewares"] * own["workers"]).rename("all_workers")
    times = own["middleware_service_time_ms"].groupby(workers).mean().dropna()
    return pd.DataFrame(
        {"service_time_ms": times, "service_rate_per_s": MS_PER_S / times}
    ).reset_index()


def _delay(tables: Tables) -> float:
    sections = sorted(set(tables.pings["section"])) if len(tables.pings) else []
    found = [network_delay(tables.pings, str(name)) for name in sections]
    known = [one["network_delay"] for one in found if one]
    return float(np.mean(known)) if known else math.nan


def _cpu_time(runs: pd.DataFrame, used: str, utilization: str) -> float:
    """CPU seconds of one request, over runs that kept the CPUs half busy, or the largest load."""
    if used not in runs or utilization not in runs:
        return math.nan
    known = runs.dropna(subset=[used, "client_throughput_ops_per_s"])
    if known.empty:
        return math.nan
    busy = known[known[utilization] >= HALF_BUSY]
    if busy.empty:
        busy = known[known["num_clients"] == known["num_clients"].max()]
    return float((busy[used] / busy["client_throughput_ops_per_s"]).mean())


def _seconds(runs: pd.DataFrame, column: str) -> float:
    return float(runs[column].mean() / MS_PER_S) if column in runs and len(runs) else math.nan
