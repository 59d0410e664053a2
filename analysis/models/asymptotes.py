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
from analysis.statistics.intervals import FloatArray
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

WORKERS, NOTHING = "workers", "nothing known"


def asymptote_table(tables: Tables, by: Sequence[str] = ("section", "workload")) -> pd.DataFrame:
    """Tell the bounds of every system of closed loops.

    Parameters
    ----------
    tables
        Of the sections, and of section 0 if it was measured: its round trips are the delay.
    by
        What makes a system: ``section`` and ``workload``, ``workers`` or other settings.

    Returns
    -------
    pandas.DataFrame
        `by`, `least_response_time_ms` (:math:`R_0`), `most_ops_per_s` (:math:`X_{max}`), `limit`
        (what sets it, such as ``server link`` or ``workers``), `knee_clients` (:math:`N^*`).
    """
    runs = tables.runs[tables.runs["num_clients"] > 0]
    rows = []
    for levels, _ in runs.groupby(list(by), sort=True):
        of = dict(zip(by, levels, strict=True))
        system = _without_processors(tables, of)
        response_time = least_response_time(system)
        demands = system.demands()
        limits = {str(name): 1 / demand for name, demand in demands.items() if demand > 0}
        if system.middlewares:
            places = system.middlewares * system.workers
            limits[WORKERS] = places / least_service_time(system)
        limits = limits or {NOTHING: math.inf}
        limit = min(limits, key=lambda name: limits[name])
        rows.append(
            {
                **of,
                "least_response_time_ms": response_time * MS_PER_S,
                "most_ops_per_s": limits[limit],
                "limit": limit,
                "knee_clients": (response_time + system.think_time) * limits[limit],
            }
        )
    columns = ["least_response_time_ms", "most_ops_per_s", "limit", "knee_clients"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def least_response_time(system: System) -> float:
    """Return the seconds of the network that a request takes whatever the load."""
    hops = 2 * 2 if system.middlewares else 2
    return hops * system.network_delay


def least_service_time(system: System) -> float:
    """Return the seconds for which a worker holds a request whatever the load."""
    return 2 * system.network_delay


def bounds_over(
    most: float, response_time: float, clients: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the most requests/s and the least seconds of clients that do not think."""
    num_clients = np.asarray(clients, dtype=float)
    return np.minimum(num_clients / response_time, most), np.maximum(
        response_time, num_clients / most
    )


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
