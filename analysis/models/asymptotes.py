r"""What links, delays and workers alone allow: the bounds that a closed loop cannot pass.

With :math:`D_{max}` the largest demand of a link, :math:`R_0` the round trips of a request,
and M middlewares of m workers that hold it for the round trip :math:`S_0` to the servers:

.. math:: X(N) \le \min\left(\frac{N}{R_0 + Z},\; \frac{1}{D_{max}},\; \frac{M m}{S_0}\right)

The knee, :math:`N^* = (R_0 + Z) X_{max}`, is where the first bound meets the others. Processors
take no time here, and links none but where they are the limit, for a token bucket lets bursts pass
at once: what is measured below the bounds is what processors, links and waiting cost.

References
----------
Jain 1991, section 33.6.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.models.measured import measured_system
from analysis.models.system import System
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.statistics.student import FloatArray
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

WORKERS, NOTHING = "workers", "nothing known"
PIPELINED = "pipelined"  # dispatch without waiting for replies


def asymptote_table(tables: Tables, by: Sequence[str] = ("section", "workload")) -> pd.DataFrame:
    """Tell the bounds of every system of closed loops.

    Columns: `by`, `think_time_s` (Z, where some clients think), `least_response_time_ms`
    (:math:`R_0`), `most_ops_per_s` (:math:`X_{max}`), `limit` (what sets it, such as ``server
    link`` or ``workers``, which are none where they do not wait), `knee_clients` (:math:`N^*`).

    Parameters
    ----------
    tables
        Of the sections, and of section 0 if it was measured: its round trips are the delay.
    by
        What makes a system: ``section`` and ``workload``, ``workers`` or other settings, and by
        itself the think time where it varies.
    """
    runs = tables.runs[tables.runs["num_clients"] > 0]
    rows = []
    names = with_think_time(runs, by)
    for levels, of_system in runs.groupby(names, sort=True):
        of = dict(zip(names, levels, strict=True))
        system = _without_processors(tables, of)
        response_time = least_response_time(system)
        demands = system.demands()
        limits = {str(name): 1 / demand for name, demand in demands.items() if demand > 0}
        if system.middlewares and workers_wait(of_system):
            places = system.middlewares * system.workers
            if (least := least_service_time(system)) > 0:  # 0 where no round trip was measured
                limits[WORKERS] = places / least
        limits = limits or {NOTHING: math.inf}
        limit = min(limits, key=lambda name: limits[name])
        rows.append(
            {
                **of,
                THINK_TIME: system.think_time,
                "least_response_time_ms": response_time * MS_PER_S,
                "most_ops_per_s": limits[limit],
                "limit": limit,
                "knee_clients": (response_time + system.think_time) * limits[limit],
            }
        )
    columns = ["least_response_time_ms", "most_ops_per_s", "limit", "knee_clients"]
    if any(row[THINK_TIME] for row in rows):
        names = [*(name for name in names if name != THINK_TIME), THINK_TIME]
    return pd.DataFrame(rows, columns=[*names, *columns])


def least_response_time(system: System) -> float:
    """Return the seconds of the network that a request takes whatever the load."""
    hops = 2 * 2 if system.middlewares else 2
    return hops * system.network_delay


def least_service_time(system: System) -> float:
    """Return the seconds for which a worker holds a request whatever the load."""
    return 2 * system.network_delay


def workers_wait(runs: pd.DataFrame) -> bool:
    """Say whether workers hold a request until its reply comes, in the runs of one system."""
    return "dispatch" not in runs or PIPELINED not in set(runs["dispatch"])


def bounds_over(
    most: ArrayLike, response_time: ArrayLike, think_time: ArrayLike, clients: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    r"""Return the most requests/s and the least seconds.

    .. math:: X \le \min\left(\frac{N}{R_0 + Z}, X_{max}\right), \quad
        R \ge \max\left(R_0, \frac{N}{X_{max}} - Z\right)

    Parameters
    ----------
    most
        :math:`X_{max}` in requests/s, shape (N,) or one for all.
    response_time, think_time
        :math:`R_0` and Z in seconds, not both 0, shape (N,) or one for all.
    clients
        N, shape (N,) or one for all.
    """
    limit, time, think, loads = (
        np.asarray(value, dtype=float) for value in (most, response_time, think_time, clients)
    )
    return np.minimum(loads / (time + think), limit), np.maximum(time, loads / limit - think)


def _without_processors(tables: Tables, of: dict[str, Any]) -> System:
    """Build the system with those levels, as if its processors took no time."""
    others = {name: level for name, level in of.items() if name not in ("section", "workload")}
    workers = others.pop("workers", None)
    system = measured_system(
        tables,
        section=of["section"],
        workload=of["workload"],
        workers=None if workers is None else int(workers),
        factors=others,
        server_time=0.0,
    )
    return replace(system, net_thread_time=0.0, worker_time=0.0)
