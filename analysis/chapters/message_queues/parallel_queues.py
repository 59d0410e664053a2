r"""Stations for a message queue: as many M/M/1 queues as workers, or one queue for all workers.

Su models his system as 20 M/M/1 queues side by side, one for each worker, with the arrival rate
split evenly and a service time that he measured once. Jobs do not choose a worker before one is
free, so that one queue before m workers is what is built; the service time grows with the number of
workers (his table 2); and N clients wait for their answers before they send again, so that no more
than N requests are ever there. That is the machine-repairman model, M/M/m//N: with the service time
S and the time Z that a client spends elsewhere, the probabilities of n requests are

.. math:: p_n \propto \prod_{j < n} \frac{(N - j) / Z}{\min(j + 1, m) / S}

An open M/M/m has no solution at the utilization of 1 that such loops reach.

References
----------
Jain 1991, box 31.1 (M/M/1); Lavenberg 1983, section 3.4 (machine repairman).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.chapters.message_queues.demands import Demands, system_of
from analysis.chapters.message_queues.networks import CELL
from analysis.chapters.message_queues.runs import database_runs, echo_runs
from analysis.laws.summary import cells
from analysis.models.closed import Station, solve_closed
from analysis.models.open import mm1
from analysis.statistics.comparison import compare
from analysis.statistics.student import FloatArray
from analysis.units import MS_PER_S

PARALLEL_ONCE = "parallel M/M/1, S measured once"
PARALLEL, SHARED = "parallel M/M/1", "machine repairman"
_TIME, _SERVICE = "middleware_response_time_ms", "middleware_service_time_ms"
_RATE = "middleware_throughput_ops_per_s"
_COMPARED = ["predicted", "measured", "ci_low", "ci_high", "relative_error", "verdict"]


def station_models(measured: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    """Predict the response time in the middlewares of every cell from its service time.

    Parameters
    ----------
    measured
        From `networks.queue_cells`.
    demands
        Of which the network's delay is taken.

    Returns
    -------
    pandas.DataFrame
        One row per cell and model (`PARALLEL_ONCE`: the service time of the lightest cell of the
        section; `PARALLEL` and `SHARED`: that of the cell): `CELL`, `model`, `utilization`, then as
        `analysis.statistics.comparison.compare`, in ms; the open M/M/1 queues, which take the
        measured rate, predict nothing at a utilization of 1 or more. Empty where no middleware told
        its times.
    """
    columns = [*CELL, "model", "utilization", *_COMPARED]
    needed = [f"{name}_mean" for name in (_TIME, _SERVICE, _RATE)]
    if measured.empty or not set(needed) <= set(measured.columns):
        return pd.DataFrame(columns=columns)
    known = measured.dropna(subset=needed).reset_index(drop=True)
    rate, own = known[f"{_RATE}_mean"], known[f"{_SERVICE}_mean"] / MS_PER_S
    light = known[known["is_light"].astype(bool)].groupby("section")[f"{_SERVICE}_mean"].mean()
    once = (known["section"].map(light) / MS_PER_S).fillna(own)
    servers = known["num_middlewares"] * known["workers"]
    parts = []
    away_s = known["think_time_s"] + 2 * demands.network_delay
    for model, service_s in ((PARALLEL_ONCE, once), (PARALLEL, own), (SHARED, own)):
        if model == SHARED:
            seconds = repairman_times(known["num_clients"], servers, service_s, away_s)
        else:
            seconds = station_time(rate / servers, service_s)
        predicted = pd.Series(seconds * MS_PER_S, known.index)
        leading = known[list(CELL)].assign(model=model, utilization=rate * service_s / servers)
        parts.append(pd.concat([leading, compare(known, predicted, _TIME)], axis="columns"))
    return pd.concat(parts, ignore_index=True)[columns]


def component_models(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    """Predict middlewares that echo, and the database alone, as machine-repairman models.

    Parameters
    ----------
    runs
        From `runs.with_databases`.
    demands
        Of which the CPU times, the network's delay and other waits are taken.

    Returns
    -------
    pandas.DataFrame
        One row per component and load: `component` (``middleware``, ``database``), `num_clients`,
        `all_workers`, `num_servers` (workers; CPUs), `service_time_ms` (of a worker at the
        smallest load; CPU time), `most_ops_per_s` (m / S), `utilization`, then as
        `analysis.statistics.comparison.compare` of the response time, in ms.
    """
    columns = ["component", "num_clients", "all_workers", "num_servers", "service_time_ms"]
    columns += ["most_ops_per_s", "utilization", *_COMPARED]
    parts = [pd.DataFrame(columns=columns), _middleware(runs, demands), _database(runs, demands)]
    filled = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(filled, ignore_index=True)[columns]


def station_time(rate: pd.Series, service_s: pd.Series) -> FloatArray:
    """Mean seconds in M/M/1 stations; NaN at a utilization of 1 or more."""
    stable = rate * service_s < 1
    lam = np.where(stable, rate, 0.0)
    times = mm1(lam, 1 / service_s.to_numpy(dtype=float)).response_time
    return np.where(stable, times, np.nan)


def repairman_times(
    clients: pd.Series, servers: pd.Series, service_s: pd.Series, away_s: pd.Series
) -> FloatArray:
    """Mean seconds at stations of closed loops, M/M/m//N; NaN where a time is not known.

    Parameters
    ----------
    clients, servers
        N and m of each loop.
    service_s, away_s
        Service time, and what a client spends elsewhere from one answer to the next request.
    """
    loops = zip(clients, servers, service_s, away_s, strict=True)
    return np.array(
        [
            np.nan
            if np.isnan(service) or np.isnan(away)
            else solve_closed([Station("servers", service, 1, m)], int(n), away).response_time[-1]
            for n, m, service, away in loops
        ]
    )


def _middleware(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    own = echo_runs(runs)
    if own.empty or _SERVICE not in own:
        return pd.DataFrame()
    places = own["num_middlewares"] * own["workers"]
    own = own[places == places.max()]
    known = cells(own).dropna(subset=[f"{_SERVICE}_mean"]).sort_values("num_clients")
    known = known.reset_index(drop=True)
    if known.empty:
        return pd.DataFrame()
    service_s = pd.Series(float(known[f"{_SERVICE}_mean"].iloc[0]) / MS_PER_S, known.index)
    away_s = known["think_time_s"] + 2 * demands.network_delay + demands.net_thread_time
    servers = pd.Series(int(places.max()), known.index)
    times_s = repairman_times(known["num_clients"], servers, service_s, away_s)
    return _component("middleware", known, _TIME, servers, service_s, times_s)


def _database(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    own = database_runs(runs)
    if own.empty or not demands.known:
        return pd.DataFrame()
    known = cells(own).sort_values("workers").reset_index(drop=True)
    levels = own.groupby("workers")[["num_middlewares", "num_databases", "net_threads"]].first()
    known = known.drop(columns=[name for name in levels if name in known]).join(
        levels, on="workers"
    )
    cpus = own["database_cpus_each"].mean()
    cores = 1 if pd.isna(cpus) else max(1, int(np.ceil(round(float(cpus), 6))))
    systems = [
        system_of({**dict(cell), "database_cpus_each": cpus, "think_time_s": 0.0}, demands)
        for _, cell in known.iterrows()
    ]
    service_s = pd.Series([system.server_time for system in systems], known.index)
    waited_s = 2 * demands.network_delay + demands.other_time
    outside_s = 2 * demands.network_delay + demands.net_thread_time
    places = known["workers"] * known["num_middlewares"]
    # As many requests as workers: where more clients wait, a worker has the next one at once.
    is_queue = known["num_clients"] > places
    away_s = waited_s + demands.worker_time + outside_s * (~is_queue).astype(float)
    at_once = known["num_clients"].clip(upper=places)
    servers = pd.Series(cores, known.index)
    times_s = repairman_times(at_once, servers, service_s, away_s) + waited_s
    return _component(
        "database", known, "middleware_servers_net_time_ms", servers, service_s, times_s
    )


def _component(
    name: str,
    known: pd.DataFrame,
    time: str,
    servers: pd.Series,
    service_s: pd.Series,
    times_s: FloatArray,
) -> pd.DataFrame:
    leading = pd.DataFrame(
        {
            "component": name,
            "num_clients": known["num_clients"],
            "all_workers": known["workers"] * known.get("num_middlewares", 1),
            "num_servers": servers,
            "service_time_ms": service_s * MS_PER_S,
            "most_ops_per_s": servers / service_s,
            "utilization": known[f"{_RATE}_mean"] * service_s / servers,
        }
    )
    predicted = pd.Series(times_s * MS_PER_S, known.index)
    return pd.concat([leading, compare(known, predicted, time)], axis="columns")
