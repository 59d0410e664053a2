r"""Clients, middlewares and servers as a closed queueing network, built from measured demands.

Every host has one outgoing link, a station that needs wire bytes / bandwidth. Behind a middleware
a request holds a worker while it is with the servers. A product-form network cannot say that, so
what a worker waits for is solved first, for 1, 2, ... requests inside, and then stands in the whole
network as one flow-equivalent station with as many places as there are workers.

What the product form leaves out, `analysis.queueing.simulation` has: service times that do not
vary, the slowest of several servers, and a middleware's link shared by requests and replies.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields

import numpy as np
import pandas as pd

from analysis.queueing.closed import AnyStation, FlowEquivalentStation, Station, solve_closed

BYTES_PER_SEGMENT, HEADER_BYTES = 1448, 66  # TCP payload and Ethernet, IP, TCP headers
SATURATED = 0.9  # utilization
_AMOUNTS = (
    "request_bytes",
    "reply_bytes",
    "server_request_bytes",
    "server_reply_bytes",
    "network_delay",
    "think_time",
    "net_thread_time",
    "worker_time",
    "server_time",
)


@dataclass(frozen=True, kw_only=True)
class System:
    """A closed system; times in seconds, sizes in bytes on the wire, rates in bit/s.

    Attributes
    ----------
    client_machines, middlewares, servers
        Numbers of hosts; 0 middlewares: each client talks to one server.
    workers
        Of each middleware.
    servers_per_request
        To how many servers a middleware sends one request at the same time.
    request_bytes, reply_bytes
        Between client and middleware (or server).
    server_request_bytes, server_reply_bytes
        Between middleware and each of the servers; by default the same.
    client_link_rate, middleware_link_rate, server_link_rate
        What each host can send; ``math.inf`` for a link that takes no time.
    network_delay
        Of one message from host to host, beside the time on the link.
    think_time
        Of a client between reply and next request.
    net_thread_time, worker_time, server_time
        Processor time of one request in a middleware's net thread, in a worker, in each server.
    """

    client_machines: int = 3
    middlewares: int = 0
    servers: int = 1
    workers: int = 64
    servers_per_request: int = 1
    request_bytes: float
    reply_bytes: float
    server_request_bytes: float | None = None
    server_reply_bytes: float | None = None
    client_link_rate: float = 200e6
    middleware_link_rate: float = 800e6
    server_link_rate: float = 100e6
    network_delay: float = 0.0
    think_time: float = 0.0
    net_thread_time: float = 0.0
    worker_time: float = 0.0
    server_time: float = 0.0

    def __post_init__(self) -> None:
        least = {"client_machines": 1, "servers": 1, "workers": 1, "servers_per_request": 1}
        for name, smallest in {**least, "middlewares": 0}.items():
            count = getattr(self, name)
            if not smallest <= count < math.inf or count != int(count):
                raise ValueError(f"{name} must be a whole number >= {smallest}, got {count}")
        for name in _AMOUNTS:
            amount = getattr(self, name)
            if amount is not None and not 0 <= amount < math.inf:
                raise ValueError(f"{name} must be >= 0 and finite, got {amount}")
        if self.servers_per_request > (self.servers if self.middlewares else 1):
            raise ValueError(
                "servers_per_request must not exceed the servers, nor 1 without middleware, "
                f"got {self.servers_per_request}"
            )
        for name in ("client_link_rate", "middleware_link_rate", "server_link_rate"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be > 0, got {getattr(self, name)}")

    @property
    def to_server_bytes(self) -> float:
        """What one server receives of a request."""
        given = self.server_request_bytes
        return self.request_bytes if given is None else given

    @property
    def from_server_bytes(self) -> float:
        """What one server replies."""
        return self.reply_bytes if self.server_reply_bytes is None else self.server_reply_bytes

    def demands(self) -> pd.Series:
        """Seconds that one request needs of each host's resource, D = V S, by resource name."""
        share = self.servers_per_request / self.servers
        demands = {
            "client link": _seconds(self.request_bytes, self.client_link_rate)
            / self.client_machines,
            "server": share * self.server_time,
            "server link": share * _seconds(self.from_server_bytes, self.server_link_rate),
        }
        if self.middlewares:
            sent = self.reply_bytes + self.servers_per_request * self.to_server_bytes
            demands |= {
                "net thread": self.net_thread_time / self.middlewares,
                "middleware link": _seconds(sent, self.middleware_link_rate) / self.middlewares,
            }
        return pd.Series(demands, name="service_demand_s")


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


def wire_bytes(payload_bytes: float) -> float:
    """Bytes on the wire of a message: TCP segments of 1448 bytes, each with 66 of headers."""
    return payload_bytes + HEADER_BYTES * math.ceil(payload_bytes / BYTES_PER_SEGMENT)


def message_bytes(
    workload: str, value_bytes: int = 4096, key_bytes: int = 12, keys: int = 1
) -> dict[str, float]:
    """Sizes on the wire of a memcached ``get`` or ``multi-get`` (all hits) or ``set``.

    Parameters
    ----------
    workload
        ``get``, ``multi-get`` or ``set``.
    value_bytes, key_bytes
        Of each value and key.
    keys
        In one get, at least 1.

    Returns
    -------
    dict
        `request_bytes`, `reply_bytes`, as arguments of `System`.
    """
    value = value_bytes + len("\r\n")
    if keys < 1:
        raise ValueError(f"keys must be >= 1, got {keys}")
    if workload in ("get", "multi-get"):
        request = len("get\r\n") + keys * (len(" ") + key_bytes)
        line = len(f"VALUE  0 {value_bytes}\r\n") + key_bytes
        reply = keys * (line + value) + len("END\r\n")
    elif workload == "set":
        request = len(f"set  0 9999 {value_bytes}\r\n") + key_bytes + value
        reply = len("STORED\r\n")
    else:
        raise ValueError(f"workload must be 'get', 'multi-get' or 'set', got {workload!r}")
    return {"request_bytes": wire_bytes(request), "reply_bytes": wire_bytes(reply)}


def predict(system: System, num_clients: int) -> Prediction:
    """Solve a system's queueing network for 1..N clients.

    Servers that all get every request work in step and stand as one station.

    Raises
    ------
    ValueError
        `servers_per_request` is neither 1 nor the number of servers.
    """
    if system.servers_per_request not in (1, system.servers):
        raise ValueError(
            "the product form needs requests that go to one or to all servers, got "
            f"{system.servers_per_request} of {system.servers}: use the simulation"
        )
    stations = _outside(system) + (_behind_workers(system) if system.middlewares else _at(system))
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


def what_if(
    system: System, num_clients: int, changes: Mapping[str, Mapping[str, float]]
) -> pd.DataFrame:
    """Predict what changes of a system would do at a number of clients.

    Parameters
    ----------
    changes
        Name of each case to the fields of `System` that it replaces, such as
        ``{"faster server links": {"server_link_rate": 200e6}}``.

    Returns
    -------
    pandas.DataFrame
        One row per case, the system as it is first: `case`, the measures of `Prediction` and
        `throughput_gain`, as a fraction of the system as it is.
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


def _seconds(size_bytes: float, rate: float) -> float:
    return size_bytes * 8 / rate


def _equal(name: str, service_time: float, count: int) -> list[AnyStation]:
    """`count` stations of which a request visits one."""
    return [Station(f"{name} {i}", service_time, 1 / count) for i in range(1, count + 1)]


def _delay(name: str, seconds: float) -> Station:
    return Station(name, seconds, 1, math.inf)


def _outside(system: System) -> list[AnyStation]:
    """From the client to the middleware, or to the server, and back."""
    request = _seconds(system.request_bytes, system.client_link_rate)
    stations = [
        _delay("network of clients", 2 * system.network_delay),
        *_equal("client link", request, system.client_machines),
    ]
    if system.middlewares:
        reply = _seconds(system.reply_bytes, system.middleware_link_rate)
        stations += _equal("net thread", system.net_thread_time, system.middlewares)
        stations += _equal("reply link", reply, system.middlewares)
    return stations


def _at(system: System) -> list[AnyStation]:
    """Servers and their links; those that work in step are one."""
    count = system.servers // system.servers_per_request
    reply = _seconds(system.from_server_bytes, system.server_link_rate)
    return _equal("server", system.server_time, count) + _equal("server link", reply, count)


def _behind_workers(system: System) -> list[AnyStation]:
    sent = system.servers_per_request * system.to_server_bytes
    stations = [
        _delay("workers and network", system.worker_time + 2 * system.network_delay),
        *_equal("request link", _seconds(sent, system.middleware_link_rate), system.middlewares),
        *_at(system),
    ]
    inside = solve_closed(stations, system.middlewares * system.workers)
    return [FlowEquivalentStation("workers", tuple(inside.throughput))]
