r"""Clients, middlewares and servers as a closed queueing network, built from measured demands.

Every host has one outgoing link, a station that needs wire bytes / bandwidth. Behind a middleware
a request holds a worker while it is with the servers. A product-form network cannot say that, so
what a worker waits for is solved first, for 1, 2, ... requests inside, and then stands in the whole
network as one flow-equivalent station with as many places as there are workers.

What the product form leaves out, `analysis.models.simulated.simulation` has: service times that do
not vary, the slowest of several servers, a middleware's link shared by requests and replies, and
links that let a burst pass at once.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields

import numpy as np
import pandas as pd

from analysis.models.closed import (
    AnyStation,
    FlowEquivalentStation,
    Station,
    closed_throughput,
    solve_closed,
)
from analysis.models.system import MACHINE, System
from analysis.statistics.loads.message_sizes import link_seconds

SATURATED = 0.9  # utilization


@dataclass(frozen=True, kw_only=True, eq=False)
class Prediction:
    """Measures of a system for every population 1..N.

    Attributes
    ----------
    measures
        `num_clients`, `throughput_ops_per_s`, `client_response_time_ms`, `bottleneck` (the
        resource with the largest utilization; the workers only if none that they may wait for is
        saturated) and `saturated` (whether it is busy 90 % of the time or more).
    utilizations
        One row per population, one column per resource, 0..1.
    """

    measures: pd.DataFrame
    utilizations: pd.DataFrame


def predict(system: System, num_clients: int) -> Prediction:
    """Solve a system's queueing network for 1..N clients.

    Servers that all get every request work in step and stand as one station.

    Raises
    ------
    ValueError
        `servers_per_request` is neither 1 nor the number of servers.
    """
    stations = _stations(system)
    solution = solve_closed(stations, num_clients, system.think_time)
    resources = pd.DataFrame(
        np.outer(solution.throughput, system.demands()),
        columns=system.demands().index,
        index=pd.RangeIndex(1, num_clients + 1, name="num_clients"),
    )
    utilizations = resources.copy()
    for k, station in enumerate(stations):
        if isinstance(station, FlowEquivalentStation):
            utilizations[station.name] = solution.utilization[:, k]
    full = resources.max(axis="columns") >= SATURATED
    bottleneck = resources.idxmax(axis="columns").where(full, utilizations.idxmax(axis="columns"))
    measures = pd.DataFrame(
        {
            "num_clients": utilizations.index,
            "throughput_ops_per_s": solution.throughput,
            "client_response_time_ms": solution.response_time * 1000,
            "bottleneck": np.where(  # with delays alone there is none
                utilizations.max(axis="columns") > 0, bottleneck.to_numpy(dtype=object), "none"
            ),
            "saturated": (utilizations.max(axis="columns") >= SATURATED).to_numpy(),
        }
    )
    return Prediction(measures=measures, utilizations=utilizations)


def predict_throughput(system: System, num_clients: int) -> float:
    """Return the requests/s of `predict` alone, with all clients, several times faster."""
    return float(closed_throughput(_stations(system), num_clients, system.think_time)[-1])


def _stations(system: System) -> list[AnyStation]:
    if system.servers_per_request not in (1, system.servers):
        raise ValueError(
            "the product form needs requests that go to one or to all servers, got "
            f"{system.servers_per_request} of {system.servers}: use the simulation"
        )
    return _outside(system) + (_behind_workers(system) if system.middlewares else _at(system))


def largest_throughput(system: System) -> float:
    r"""Return the requests/s that no number of clients can pass: links, processors, workers.

    .. math:: X \le \min\left(\frac{1}{D_{max}},\; \frac{M m}{S_0}\right)

    with the round trip :math:`S_0` for which a worker holds each request at least (Jain 1991,
    section 33.6).
    """
    limits = [1 / demand for demand in system.demands() if demand > 0]
    if system.middlewares and system.network_delay:
        limits.append(system.middlewares * system.workers / (2 * system.network_delay))
    return min(limits, default=math.inf)


def what_if(
    system: System, num_clients: int, changes: Mapping[str, Mapping[str, float]]
) -> pd.DataFrame:
    """Predict what changes of a system would do at a number of clients.

    One row per case, the system as it is first: `case`, the measures of `Prediction` and
    `throughput_gain`, as a fraction of the system as it is.

    Parameters
    ----------
    changes
        Name of each case to the fields of `System` that it replaces, such as
        ``{"faster server links": {"server_link_rate": 200e6}}``.
    """
    known = {field.name for field in dataclass_fields(System)}
    for name, changed in changes.items():
        if unknown := sorted(set(changed) - known):
            raise ValueError(f"a system has no {', '.join(unknown)} to change in {name!r}")
    cases = {"as it is": system}
    cases |= {name: replace(system, **fields) for name, fields in changes.items()}  # type: ignore[arg-type]
    rows = [predict(case, num_clients).measures.iloc[-1] for case in cases.values()]
    table = pd.DataFrame(rows).reset_index(drop=True)
    table.insert(0, "case", list(cases))
    throughput = table["throughput_ops_per_s"].astype(float)
    return table.assign(throughput_gain=throughput / throughput.iloc[0] - 1)


def _equal(name: str, service_time: float, count: int, cores: int = 1) -> list[AnyStation]:
    """`count` stations of which a request visits one."""
    return [Station(f"{name} {i}", service_time, 1 / count, cores) for i in range(1, count + 1)]


def _delay(name: str, seconds: float) -> Station:
    return Station(name, seconds, 1, math.inf)


def _outside(system: System) -> list[AnyStation]:
    """From the client to the middleware, or to the server, and back."""
    request = link_seconds(system.request_bytes, system.client_link_rate)
    stations = [
        _delay("network of clients", 2 * system.network_delay),
        *_equal("client link", request, system.client_machines),
    ]
    if system.middlewares:
        reply = link_seconds(system.reply_bytes, system.middleware_link_rate)
        threads = system.middlewares * system.net_threads
        stations += _equal("net thread", system.net_thread_time, threads)
        stations += _equal("reply link", reply, system.middlewares)
    if system.machine_time:
        stations.append(Station(MACHINE, system.machine_time, 1, system.machine_cores))
    return stations


def _at(system: System) -> list[AnyStation]:
    """Servers and their links; those that work in step are one."""
    count = system.servers // system.servers_per_request
    reply = link_seconds(system.from_server_bytes, system.server_link_rate)
    servers = _equal("server", system.server_time, count, system.server_cores)
    return servers + _equal("server link", reply, count)


def _behind_workers(system: System) -> list[AnyStation]:
    sent = system.servers_per_request * system.to_server_bytes
    request = link_seconds(sent, system.middleware_link_rate)
    stations = [
        _delay("workers and network", system.worker_time + 2 * system.network_delay),
        *_equal("request link", request, system.middlewares),
        *_at(system),
    ]
    inside = closed_throughput(stations, system.middlewares * system.workers)
    return [FlowEquivalentStation("workers", tuple(inside.tolist()))]
