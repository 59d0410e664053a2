"""What one request needs of each part of a message queue, from components and light loads alone.

The demand of front-end threads comes from middlewares that answer by themselves, the database's
from runs with as many requests at once as workers, that of workers and of what is left from the
lightest load of the whole system (`runs.lightest_runs`).

Two kinds of cells therefore confirm nothing when a model agrees with them: the runs of the database
alone, whose CPU time at each number of connections is a demand, and the lightest load (`is_light`
of `networks.queue_cells`). All other cells are held out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.chapters.message_queues.runs import (
    SCALABILITY,
    database_runs,
    echo_runs,
    lightest_runs,
    plain_runs,
    with_databases,
)
from analysis.models.measured import HALF_BUSY, network_delay
from analysis.models.prediction import predict_throughput
from analysis.models.system import System
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

_SYSTEM = ["num_middlewares", "workers", "num_databases", "num_clients"]
_MOST_TURNS, _STAYS = 100, 1e-6  # of the fixed point of throughput and CPU time
FRONT, WORKER, CPU = "front-end thread", "worker, processing", "database, CPU"


@dataclass(frozen=True, kw_only=True)
class Demands:
    """Seconds that one request needs; NaN where nothing that was measured tells it.

    Attributes
    ----------
    network_delay
        Of one message from host to host: half of an idle network's round trip as ping measures it,
        or, if that is shorter, half of what a worker waits for the database beside its CPU at the
        lightest load. A ping on an idle network may take longer than a message beside a load,
        because it has to wake up idle processors.
    net_thread_time
        CPU time of a middleware's front end.
    worker_time
        Processing in a worker.
    database_times
        Seconds for which a connection idles from one request to the next, ascending, and the CPU
        time of a request then, of one CPU; at least one pair.
    other_time
        Time that a worker waits for the database beside its CPU and the network, whatever the load.
        A negative one contradicts the model: demands with it are not `known`.
    is_delay_fitted
        True if `network_delay` is that of the lightest load: it was fitted to this load, not
        measured, and `other_time` is 0 by the fit.
    """

    network_delay: float
    net_thread_time: float
    worker_time: float
    database_times: tuple[tuple[float, float], ...]
    other_time: float
    is_delay_fitted: bool = False

    @property
    def known(self) -> bool:
        """True if all demands are known and none is negative; a negative one rejects the model."""
        times = [seconds for _, seconds in self.database_times]
        others = (self.network_delay, self.net_thread_time, self.worker_time, self.other_time)
        return bool(times) and all(seconds >= 0 for seconds in (*times, *others))

    def database_time(self, idle_s: float) -> float:
        """Return the CPU time of a request on a connection that idles so long before it.

        Linear in logarithms between what was measured, constant beyond.
        """
        known = np.log(np.array(self.database_times))
        return float(np.exp(np.interp(np.log(idle_s), known[:, 0], known[:, 1])))


def measured_demands(tables: Tables) -> Demands:
    r"""Find the demands by the utilization law and from times where next to nothing waits.

    .. math:: D_{net} = M f U_{net} / X, \quad D_{db} = d c U_{CPU} / X

    with M middlewares of f front-end threads, and d databases of c CPUs, over the runs of a
    component alone that kept it half busy or more (at least its largest load). The CPU time of a
    request at a database grows with the time for which its connection idled before
    (`idle_times`), and is taken from all runs of the database alone.

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
    database_times = _database_times(light if alone.empty else alone)
    threads = runs["num_middlewares"] * runs["net_threads"]
    used = threads * runs.get("middleware_net_thread_utilization", np.nan)
    runs = runs.assign(net_threads_used=used)
    front = (light if echo.empty else echo).index
    waited = _seconds(light, "middleware_servers_net_time_ms")
    known = Demands(
        network_delay=delay,
        net_thread_time=_cpu_time(
            runs.loc[front], "net_threads_used", "middleware_net_thread_utilization"
        ),
        worker_time=_seconds(light, "middleware_processing_time_ms"),
        database_times=database_times,
        other_time=math.nan,
    )
    if not database_times:
        return known
    of_cpu = known.database_time(float(idle_times(light).mean()))
    speed = float(np.fmin(1.0, light["database_cpus_each"].mean()))  # NaN: one CPU
    beside = waited - of_cpu / speed
    fitted = beside / 2 < delay  # the ping contradicts the lightest load
    delay = beside / 2 if fitted else delay
    return replace(
        known, network_delay=delay, other_time=beside - 2 * delay, is_delay_fitted=fitted
    )


def idle_times(runs: pd.DataFrame) -> pd.Series:
    r"""Return how long a connection idles between two requests on average, in seconds.

    .. math:: \tau = M m d / X

    with the m workers of each of M middlewares, each with a connection to all d databases.

    Parameters
    ----------
    runs
        From `runs.with_databases`, or cells with the same columns.
    """
    connections = runs["num_middlewares"] * runs["workers"] * runs["num_databases"]
    times: pd.Series = connections / runs["client_throughput_ops_per_s"]
    return times


def demand_rows(demands: Demands) -> pd.DataFrame:
    """Lay the demands out as a table: `part`, `demand_ms`, `told_by`."""
    times = list(dict.fromkeys([*demands.database_times[:1], *demands.database_times[-1:]]))
    delay, rest = "ping on the idle network", "the lightest load of q2 and q4"
    if demands.is_delay_fitted:
        delay = "fitted to the lightest load: a ping takes longer than its waits"
        rest = "0 because the network's delay was fitted"
    told = {
        "network, one message": (demands.network_delay, delay),
        FRONT: (demands.net_thread_time, "middlewares that echo, utilization law"),
        WORKER: (demands.worker_time, "the lightest load of q2 and q4"),
        **{
            f"{CPU}, after {idle_s * MS_PER_S:.2g} ms idle" if place else CPU: (
                seconds,
                "the database alone, utilization law",
            )
            for place, (idle_s, seconds) in enumerate(times)
        },
        "database, other waits": (demands.other_time, rest),
    }
    rows = [(part, seconds * MS_PER_S, by) for part, (seconds, by) in told.items()]
    return pd.DataFrame(rows, columns=["part", "demand_ms", "told_by"])


def system_of(cell: Mapping[str, Any], demands: Demands) -> System:
    """Build the system of a cell: its hosts, workers, CPUs and think time, with those demands.

    The database's CPU time of a request depends on how long connections idle, and so on the
    throughput that the model predicts: the model is asked again with the time that follows from its
    last answer, until the throughput stays.

    Links take no time: a message of some hundred bytes needs some microseconds on them. A database
    of c CPUs has as many servers; c that is no whole number makes the next larger one slower.

    Parameters
    ----------
    cell
        `num_middlewares`, `workers`, `net_threads`, `num_databases`, `num_clients`, `think_time_s`,
        and `database_cpus_each` (NaN: one).
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
    places = int(cell["num_middlewares"]) * int(cell["workers"]) * int(cell["num_databases"])
    clients = int(cell["num_clients"])
    system = System(
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
        server_time=demands.database_times[0][1] * cores / cpus,
    )
    for _ in range(_MOST_TURNS):
        throughput = predict_throughput(system, clients)
        seconds = demands.database_time(places / throughput) * cores / cpus
        change = abs(seconds / system.server_time - 1)
        system = replace(system, server_time=seconds)
        if change < _STAYS:
            break
    return system


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
        where the database was not measured as a component, or where some S is not above 0: the
        times that are taken off then contradict what was measured.
    """
    alone = database_runs(with_databases(tables))
    if "middleware_servers_net_time_ms" not in alone:
        alone = alone.assign(middleware_servers_net_time_ms=np.nan)
    by = ["num_middlewares", "workers", "num_clients"]
    columns = ["middleware_servers_net_time_ms", "client_throughput_ops_per_s"]
    means = alone.groupby(by)[columns].mean().dropna().reset_index(drop=True)
    away_ms = (2 * demands.network_delay + demands.other_time) * MS_PER_S
    service_ms = means["middleware_servers_net_time_ms"] - away_ms
    if not (service_ms > 0).all():
        means, service_ms = means.iloc[:0], service_ms.iloc[:0]
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
        From `runs.with_databases`.

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


def _database_times(runs: pd.DataFrame) -> tuple[tuple[float, float], ...]:
    """Return `Demands.database_times`: means of runs with as many middlewares and workers."""
    if "database_cpus_used" not in runs:
        return ()
    known = runs.dropna(subset=["database_cpus_used", "client_throughput_ops_per_s"])
    seconds = known["database_cpus_used"] / known["client_throughput_ops_per_s"]
    told = known[_SYSTEM].assign(idle_s=idle_times(known), seconds=seconds)
    means = told.groupby(_SYSTEM)[["idle_s", "seconds"]].mean().sort_values("idle_s")
    return tuple(means.itertuples(index=False, name=None))


def _busy(runs: pd.DataFrame, used: str, utilization: str) -> pd.DataFrame:
    """Keep the runs that kept the CPUs half busy; of none such, those of the largest load."""
    known = runs.dropna(subset=[used, "client_throughput_ops_per_s"])
    busy = known[known[utilization] >= HALF_BUSY]
    return known[known["num_clients"] == known["num_clients"].max()] if busy.empty else busy


def _seconds(runs: pd.DataFrame, column: str) -> float:
    return float(runs[column].mean() / MS_PER_S) if column in runs and len(runs) else math.nan
