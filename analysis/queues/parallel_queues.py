r"""Single stations for a message queue: as many M/M/1 queues as workers, or one queue for them all.

Su models his system as 20 M/M/1 queues side by side, one for each worker, with the arrival rate
split evenly and a service time that he measured once. Jobs do not choose a worker before one is
free, so that one queue before m workers, M/M/m, is what is built; and the service time grows with
the number of workers (his table 2). With :math:`\rho = \lambda S / m`:

.. math:: R_{M/M/1} = \frac{S}{1 - \rho}, \quad R_{M/M/m} = S + \frac{\varrho\, S}{m (1 - \rho)}

A worker waits in the first while another is idle: it is never faster.

References
----------
Jain 1991, boxes 31.1 and 31.2.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.models.open import mm1, mmm
from analysis.queues.demands import Demands
from analysis.queues.networks import CELL
from analysis.queues.parts import database_runs, echo_runs
from analysis.sections.summary import cells
from analysis.statistics.comparison import compare
from analysis.statistics.intervals import FloatArray
from analysis.units import MS_PER_S

PARALLEL_ONCE = "parallel M/M/1, S measured once"
PARALLEL, SHARED = "parallel M/M/1", "M/M/m"
_TIME, _SERVICE = "middleware_response_time_ms", "middleware_service_time_ms"
_RATE = "middleware_throughput_ops_per_s"
_COMPARED = ["predicted", "measured", "ci_low", "ci_high", "relative_error", "verdict"]


def station_models(measured: pd.DataFrame) -> pd.DataFrame:
    """Predict the response time in the middlewares of every cell from its rate and service time.

    Parameters
    ----------
    measured
        From `analysis.queues.networks.queue_cells`.

    Returns
    -------
    pandas.DataFrame
        One row per cell and model (`PARALLEL_ONCE`: the service time of the lightest cell of the
        section; `PARALLEL` and `SHARED`: that of the cell): `CELL`, `model`, `utilization`, then as
        `analysis.statistics.comparison.compare`, in ms; no prediction at a utilization of 1 or
        more. Empty where no middleware told its times.
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
    for model, service_s in ((PARALLEL_ONCE, once), (PARALLEL, own), (SHARED, own)):
        count = servers if model == SHARED else pd.Series(1, known.index)
        seconds = station_time(rate * count / servers, service_s, count)
        predicted = pd.Series(seconds * MS_PER_S, known.index)
        leading = known[list(CELL)].assign(model=model, utilization=rate * service_s / servers)
        parts.append(pd.concat([leading, compare(known, predicted, _TIME)], axis="columns"))
    return pd.concat(parts, ignore_index=True)[columns]


def component_models(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    """Predict middlewares that echo, and the database alone, as M/M/m.

    Parameters
    ----------
    runs
        From `analysis.queues.parts.with_databases`.
    demands
        Of which the CPU time of the database and the network's delay are taken.

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
    parts = [pd.DataFrame(columns=columns), _middleware(runs), _database(runs, demands)]
    filled = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(filled, ignore_index=True)[columns]


def station_time(rate: pd.Series, service_s: pd.Series, servers: pd.Series) -> FloatArray:
    """Mean seconds in stations of so many servers each; NaN at a utilization of 1 or more."""
    stable = rate * service_s < servers
    lam = np.where(stable, rate, 0.0)
    mu = 1 / service_s.to_numpy(dtype=float)
    if (servers == 1).all():
        times = mm1(lam, mu).response_time
    else:
        times = mmm(lam, mu, servers.to_numpy(dtype=float)).response_time
    return np.where(stable, times, np.nan)


def _middleware(runs: pd.DataFrame) -> pd.DataFrame:
    own = echo_runs(runs)
    if own.empty or _SERVICE not in own:
        return pd.DataFrame()
    places = own["num_middlewares"] * own["workers"]
    own = own[places == places.max()]
    known = cells(own).dropna(subset=[f"{_SERVICE}_mean"]).sort_values("num_clients")
    known = known.reset_index(drop=True)
    if known.empty:
        return pd.DataFrame()
    workers = int(places.max())
    service_s = float(known[f"{_SERVICE}_mean"].iloc[0]) / MS_PER_S
    return _component("middleware", known, _TIME, _RATE, workers, service_s, 0.0)


def _database(runs: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    own = database_runs(runs)
    if own.empty or not demands.known:
        return pd.DataFrame()
    known = cells(own).sort_values("workers").reset_index(drop=True)
    cpus = own["database_cpus_each"].mean()
    cores = 1 if pd.isna(cpus) else max(1, int(np.ceil(round(float(cpus), 6))))
    of_one_cpu = (known["workers"] * known.get("num_middlewares", 1)).map(demands.database_time)
    service_s = of_one_cpu * (1.0 if pd.isna(cpus) else cores / float(cpus))
    away_s = 2 * demands.network_delay + demands.other_time
    time = "middleware_servers_net_time_ms"
    return _component("database", known, time, _RATE, cores, service_s, away_s)


def _component(
    name: str,
    known: pd.DataFrame,
    time: str,
    rate: str,
    servers: int,
    service_s: float | pd.Series,
    away_s: float,
) -> pd.DataFrame:
    counts = pd.Series(servers, known.index)
    times = pd.Series(service_s, known.index)
    seconds = station_time(known[f"{rate}_mean"], times, counts) + away_s
    leading = pd.DataFrame(
        {
            "component": name,
            "num_clients": known["num_clients"],
            "all_workers": known["workers"] * known.get("num_middlewares", 1),
            "num_servers": servers,
            "service_time_ms": service_s * MS_PER_S,
            "most_ops_per_s": servers / service_s,
            "utilization": known[f"{rate}_mean"] * service_s / servers,
        }
    )
    predicted = pd.Series(seconds * MS_PER_S, known.index)
    return pd.concat([leading, compare(known, predicted, time)], axis="columns")
