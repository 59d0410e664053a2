r"""Closed networks with think time for every cell of a message queue, beside what was measured.

Four models have the same demands (`demands`). Of the cells here, only the one with
the lightest load is used to find these demands. The models:

- *single servers*, as Su has it: each worker, front-end thread and CPU is a station of its own with
  a queue of its own, of which a request is sent to one whatever is free.
- *network of queues*: delays for the network, a worker that is held while its request is at the
  database, and one queue for all CPUs of a database.
- *measured database*: the same, but a database completes requests as fast as it did with as many of
  them when it was measured as a component: service times that grow with the number of workers.
- *simulation* of the second, event by event.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from analysis.chapters.message_queues.demands import Demands, service_growth, system_of
from analysis.chapters.message_queues.runs import (
    MOST,
    SCALABILITY,
    lightest_runs,
    plain_runs,
    with_databases,
)
from analysis.laws.summary import cells
from analysis.models.closed import (
    AnyStation,
    ClosedSolution,
    FlowEquivalentStation,
    Station,
    solve_closed,
)
from analysis.models.prediction import predict
from analysis.models.simulated.replications import Case, replicate
from analysis.models.simulated.simulation import SimulationOptions
from analysis.models.system import System
from analysis.statistics.student import FloatArray
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

SINGLE, NETWORK, DATABASE = "single servers", "network of queues", "measured database"
SIMULATION = "simulation"
THROUGHPUT, RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"
CELL = (
    *("section", "num_middlewares", "workers", "net_threads", "num_databases"),
    *("database_cpus", "num_clients", "think_time_s"),
)
BUSIEST = {"server": "database CPUs", "net thread": "front-end threads"}  # words for bottlenecks
_FIVE_TIMES = 5


def queue_cells(tables: Tables) -> pd.DataFrame:
    """Aggregate the plain runs of sections q2 and q4 into cells, and tell which are predicted.

    Returns
    -------
    pandas.DataFrame
        As `analysis.laws.summary.cells`, with all columns `CELL` (`database_cpus`: those that a
        database may use, NaN where that is not known) and `is_light`: whether demands were fitted
        to the cell. Empty where neither was measured.
    """
    runs = with_databases(tables)
    own = plain_runs(runs[runs["section"].isin([SCALABILITY, MOST])])
    if own.empty:
        return pd.DataFrame(columns=[*CELL, "is_light"])
    light = own.index.isin(lightest_runs(runs).index)
    own = own.assign(database_cpus=own["database_cpus_each"].round(3))
    of_cells = own.assign(is_light=light).groupby(list(CELL), dropna=False)["is_light"].max()
    found = cells(own)
    for name in (name for name in CELL if name not in found):  # the same in a whole section
        found[name] = found["section"].map(own.groupby("section")[name].first())
    return found.merge(of_cells.reset_index(), on=list(CELL), how="left")


def predictions(
    tables: Tables, measured: pd.DataFrame, demands: Demands, *, simulated_requests: int = 0
) -> pd.DataFrame:
    """Predict every cell with every model.

    Parameters
    ----------
    tables
        Of sections q2 to q4, those that were measured.
    measured
        From `queue_cells`.
    demands
        From `demands.measured_demands`; without all of them nothing is predicted.
    simulated_requests
        About how many requests of each cell a replication has; 0 leaves the simulation out.

    Returns
    -------
    pandas.DataFrame
        `CELL`, `is_light`, `model`, `throughput_ops_per_s`, `response_time_ms`, `bottleneck` (the
        busiest of ``front-end threads``, ``workers`` and ``database CPUs`` in the network of
        queues).
    """
    columns = [*CELL, "is_light", "model", "throughput_ops_per_s", "response_time_ms", "bottleneck"]
    if not demands.known or measured.empty:
        return pd.DataFrame(columns=columns)
    growth = service_growth(tables, demands)
    rows: list[dict[str, Any]] = []
    cases: dict[int, Case] = {}
    for cell in records(measured[[*CELL, "is_light"]]):
        system = system_of({**cell, "database_cpus_each": cell["database_cpus"]}, demands)
        clients = int(cell["num_clients"])
        last = predict(system, clients).measures.iloc[-1]
        limit = str(last["bottleneck"])
        own = {**cell, "bottleneck": BUSIEST.get(limit, limit)}
        found = {
            SINGLE: _last(solve_closed(single_servers(system), clients, system.think_time)),
            NETWORK: (last["throughput_ops_per_s"], last["client_response_time_ms"]),
        }
        if len(growth):
            speed = cell["database_cpus"] / growth["database_cpus"].iloc[0]
            speed = 1.0 if math.isnan(speed) else speed
            stations = with_measured_database(system, growth, speed)
            found[DATABASE] = _last(solve_closed(stations, clients, system.think_time))
        for model, (throughput, time_ms) in found.items():
            predicted = {"throughput_ops_per_s": throughput, "response_time_ms": time_ms}
            rows.append({**own, "model": model, **predicted})
        if simulated_requests:
            cases[len(rows)] = _case(system, clients, found[NETWORK], simulated_requests)
            rows.append({**own, "model": SIMULATION})
    for place, result in zip(cases, replicate(list(cases.values())), strict=True):
        means = result.measures["mean"]
        rows[place]["throughput_ops_per_s"] = float(means["throughput_ops_per_s"])
        rows[place]["response_time_ms"] = float(means["client_response_time_ms"])
    return pd.DataFrame(rows, columns=columns)


def single_servers(system: System) -> list[AnyStation]:
    """Build the network as Su does: single servers, each with a queue of its own.

    His network has as many stations as there are workers in all (his 20), here of the round trip
    between client and middleware.
    """
    workers = system.middlewares * system.workers
    kinds = {
        "network": (workers, 2 * system.network_delay),
        "front end": (system.middlewares * system.net_threads, system.net_thread_time),
        "back end": (workers, system.worker_time + 2 * system.network_delay),
        "database": (system.servers * system.server_cores, system.server_time),
    }
    return [
        Station(f"{kind} {number}", seconds, 1 / count)
        for kind, (count, seconds) in kinds.items()
        for number in range(1, count + 1)
    ]


def with_measured_database(
    system: System, growth: pd.DataFrame, speed: float = 1.0
) -> list[AnyStation]:
    r"""Build the network whose database completes requests as fast as it did when measured alone.

    .. math:: \mu(j) = \frac{c\, j}{S(j / d)}

    with j requests at d databases that are c times as fast (`speed`) as the one that was measured,
    and S from `service_growth`, linear between what was measured and beyond it: a load-dependent
    station, behind workers that are held and a delay.

    References
    ----------
    Jain 1991, section 36.1; Chandy, Herzog & Woo 1975, doi:10.1147/rd.191.0036.
    """
    threads = system.middlewares * system.net_threads
    places = np.arange(1, system.middlewares * system.workers + 1)
    rates = speed * places / _service_s(growth, places / system.servers)
    own = system.worker_time + 2 * system.network_delay
    behind: list[AnyStation] = [
        Station("workers and network", own, 1, math.inf),
        FlowEquivalentStation("database", tuple(map(float, rates))),
    ]
    inside = solve_closed(behind, len(places)).throughput
    return [
        Station("network of clients", 2 * system.network_delay, 1, math.inf),
        *(
            Station(f"front end {number}", system.net_thread_time, 1 / threads)
            for number in range(1, threads + 1)
        ),
        FlowEquivalentStation("workers", tuple(map(float, inside))),
    ]


def utilizations(runs: pd.DataFrame, predicted_from: Demands) -> pd.DataFrame:
    """Tell how busy front-end threads, workers and databases are, measured and predicted.

    Parameters
    ----------
    runs
        From `runs.with_databases`, plain runs of one section.

    Returns
    -------
    pandas.DataFrame
        One row per system and load: `num_middlewares`, `workers`, `net_threads`, `num_databases`,
        `think_time_s`, `num_clients`, and of `front_end`, `workers_busy` and `database` the
        utilization that was measured and, as `..._predicted`, that of the network of queues; 0..1.
    """
    by = ["num_middlewares", "workers", "net_threads", "num_databases", "think_time_s"]
    by.append("num_clients")
    seen = {
        "front_end": "middleware_net_thread_utilization",
        "workers_busy": "middleware_worker_utilization",
        "database": "database_utilization",
    }
    known = runs.reindex(columns=[*by, "database_cpus_each", *seen.values()])
    means = known.groupby(by, dropna=False).mean().reset_index()
    table = means.rename(columns={column: name for name, column in seen.items()})
    found: list[dict[str, float]] = []
    for cell in records(table):
        if not predicted_from.known:
            found.append({})
            continue
        system = system_of(cell, predicted_from)
        last = predict(system, int(cell["num_clients"])).utilizations.iloc[-1]
        names = {"front_end": "net thread", "workers_busy": "workers", "database": "server"}
        found.append({f"{name}_predicted": float(last[of]) for name, of in names.items()})
    columns = [f"{name}_predicted" for name in seen]
    return table.drop(columns="database_cpus_each").join(
        pd.DataFrame(found, index=table.index, columns=columns)
    )


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as mappings from column to value."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _service_s(growth: pd.DataFrame, requests: FloatArray) -> FloatArray:
    """Seconds at the database of one of so many requests; the slope of the ends goes on beyond."""
    known, times = growth["requests"].to_numpy(float), growth["service_time_ms"].to_numpy(float)
    found = np.interp(requests, known, times)
    if len(known) > 1:
        slope = max((times[-1] - times[-2]) / (known[-1] - known[-2]), 0.0)
        found = found + slope * np.maximum(requests - known[-1], 0.0)
    return np.asarray(found / MS_PER_S)


def _last(solution: ClosedSolution) -> tuple[float, float]:
    return float(solution.throughput[-1]), float(solution.response_time[-1]) * MS_PER_S


def _case(system: System, clients: int, expected: tuple[float, float], requests: int) -> Case:
    """Simulate a cell for some requests, or five cycles of each client if those are more."""
    throughput, time_ms = expected
    five_s = _FIVE_TIMES * (float(time_ms) / MS_PER_S + system.think_time)
    duration_s = max(requests / float(throughput), five_s)
    options = SimulationOptions(warm_up_s=five_s, duration_s=duration_s, batches=2, routing="hash")
    return Case(system=system, num_clients=clients, options=options)
