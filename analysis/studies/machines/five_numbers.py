r"""Clients, middlewares and servers of a study as a closed network with five unknown numbers.

Servers that hold j sets complete

.. math:: \mu(j) = \mu_1 j^a

of them per second: the more wait, the fewer wake-ups and interrupts each costs. With a = 0 that is
a server whose processor needs the same time for every set. A worker is held while its set is on the
network and at the servers, so that both stand as one flow-equivalent station (Jain 1991, section
36.2) with a place for each worker. Every middleware, its link and every client's link is a station.
"""

from dataclasses import astuple, dataclass, fields
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from analysis.models import FlowEquivalentStation, Station, closed_throughput, message_bytes
from analysis.models.closed import AnyStation
from analysis.statistics.loads.message_sizes import link_seconds
from analysis.statistics.student import FloatArray
from analysis.studies.one_link import NETWORK_DELAY_S

# What iperf measured of what the studies' clients and middlewares send.
CLIENT_LINK_BITS_PER_S, MIDDLEWARE_LINK_BITS_PER_S = 200e6, 800e6
_NETWORK = Station("network", 2 * NETWORK_DELAY_S, 1, float("inf"))


@dataclass(frozen=True, kw_only=True)
class Machines:
    r"""What the machines of a study are, as sets of 4 KiB see them; all above 0.

    Attributes
    ----------
    alone_per_s
        :math:`\mu_1`, sets/s of a server that holds one.
    exponent
        :math:`a`.
    middleware_s
        Processor time of a set in a middleware that no other set can use meanwhile.
    forwarding_s
        The same, for each server that the set goes to.
    slowest
        How many times as long the slowest of three servers takes as one alone.
    """

    alone_per_s: float
    exponent: float
    middleware_s: float
    forwarding_s: float
    slowest: float

    @classmethod
    def of_logarithms(cls, logarithms: FloatArray) -> Self:
        """Make it of the natural logarithms of all fields, in their order."""
        return cls(**dict(zip(names(), np.exp(logarithms).tolist(), strict=True)))

    def logarithms(self) -> FloatArray:
        """Return what `of_logarithms` takes, shape (5,)."""
        return np.log(astuple(self))


def names() -> list[str]:
    """Names of the five numbers, in the order of all arrays."""
    return [field.name for field in fields(Machines)]


class _System(NamedTuple):
    """Hosts and workers of a cell, under the names of its columns; cells differ in clients, too."""

    middlewares: int
    servers: int
    workers: int
    client_machines: int

    @property
    def held(self) -> int:
        """How many sets the middlewares can have at the servers at a time."""
        return self.middlewares * self.workers if self.middlewares else 0


def throughputs(machines: Machines, cells: pd.DataFrame) -> FloatArray:
    """Predict the sets/s of every cell, shape (cells,).

    Each system is solved once, for the most clients, which solves it for all numbers of clients.
    """
    columns = (cells[name].tolist() for name in _System._fields)
    systems = [_System(*row) for row in zip(*columns, strict=True)]
    clients = cells["num_clients"].tolist()
    most: dict[_System, int] = {}
    for system, num_clients in zip(systems, clients, strict=True):
        most[system] = max(num_clients, most.get(system, 0))
    held = max(system.held for system in most)
    behind = {
        several: _behind_workers(machines, held, machines.slowest if several else 1.0)
        for several in {system.servers > 1 for system in most if system.held}
    }
    solved = {
        system: closed_throughput(
            _stations(machines, system, num_clients, behind.get(system.servers > 1)), num_clients
        )
        for system, num_clients in most.items()
    }
    return np.array([solved[system][n - 1] for system, n in zip(systems, clients, strict=True)])


def _stations(
    machines: Machines, system: _System, num_clients: int, behind: FloatArray | None
) -> list[AnyStation]:
    """Return the stations of a system; `behind` as `_behind_workers` has it."""
    count, middlewares, servers = system.client_machines, system.middlewares, system.servers
    request_bytes = message_bytes("set")["request_bytes"]
    on_link = link_seconds(request_bytes, CLIENT_LINK_BITS_PER_S)
    outside: list[AnyStation] = [
        *(Station(f"client link {i}", on_link, 1 / count) for i in range(count)),
        _NETWORK,
    ]
    if behind is None or not middlewares:  # each client has one server
        return [*outside, *(_server(machines, num_clients, 1 / servers) for _ in range(servers))]
    each = 1 / middlewares
    in_middleware = machines.middleware_s + servers * machines.forwarding_s
    on_its_link = servers * link_seconds(request_bytes, MIDDLEWARE_LINK_BITS_PER_S)
    return [
        *outside,
        *(Station(f"middleware {i}", in_middleware, each) for i in range(middlewares)),
        *(Station(f"middleware link {i}", on_its_link, each) for i in range(middlewares)),
        FlowEquivalentStation("workers", tuple(behind[: system.held].tolist())),
    ]


def _behind_workers(machines: Machines, held: int, longer: float) -> FloatArray:
    """Sets/s of the network and the servers with 1..held sets there, shape (held,)."""
    return closed_throughput([_NETWORK, _server(machines, held, longer)], held)


def _server(machines: Machines, most: int, longer: float) -> FlowEquivalentStation:
    """Make the station of up to `most` sets, of which each takes so many times as long."""
    held = np.arange(1.0, most + 1)
    rates = machines.alone_per_s * held**machines.exponent / longer
    return FlowEquivalentStation("server", tuple(rates.tolist()))
