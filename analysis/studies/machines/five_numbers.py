r"""Clients, middlewares and servers of a study as a closed network with five unknown numbers.

Servers that hold j sets complete

.. math:: \mu(j) = \mu_1 j^a

of them per second: the more wait, the fewer wake-ups and interrupts each costs. With a = 0 that is
a server whose processor needs the same time for every set. A worker is held while its set is on the
network and at the servers, so that both stand as one flow-equivalent station (Jain 1991, section
36.2) with a place for each worker. Every middleware, its link and every client's link is a station.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any, Self

import numpy as np
import pandas as pd

from analysis.models import FlowEquivalentStation, Station, message_bytes, solve_closed
from analysis.models.closed import AnyStation
from analysis.statistics.intervals import FloatArray
from analysis.statistics.loads.message_sizes import link_seconds
from analysis.studies.one_link import NETWORK_DELAY_S

# What iperf measured of what the studies' clients and middlewares send.
CLIENT_LINK_BITS_PER_S, MIDDLEWARE_LINK_BITS_PER_S = 200e6, 800e6


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


def throughput(machines: Machines, cell: Mapping[str, Any]) -> float:
    """Predict the sets/s of a cell."""
    middlewares, servers, clients = cell["middlewares"], cell["servers"], cell["num_clients"]
    request_bytes = message_bytes("set")["request_bytes"]
    on_link = link_seconds(request_bytes, CLIENT_LINK_BITS_PER_S)
    count = cell["client_machines"]
    links = [Station(f"client link {i}", on_link, 1 / count) for i in range(count)]
    network = Station("network", 2 * NETWORK_DELAY_S, 1, float("inf"))
    if not middlewares:  # each client has one server
        direct: list[AnyStation] = [*links, network]
        direct += [_server(machines, clients, 1 / servers) for _ in range(servers)]
        return float(solve_closed(direct, clients).throughput[-1])
    held = middlewares * cell["workers"]
    longer = machines.slowest if servers > 1 else 1.0
    inside = solve_closed([network, _server(machines, held, longer)], held).throughput
    in_middleware = machines.middleware_s + servers * machines.forwarding_s
    behind = servers * link_seconds(request_bytes, MIDDLEWARE_LINK_BITS_PER_S)
    stations: list[AnyStation] = [
        *links,
        network,
        *(Station(f"middleware {i}", in_middleware, 1 / middlewares) for i in range(middlewares)),
        *(Station(f"middleware link {i}", behind, 1 / middlewares) for i in range(middlewares)),
        FlowEquivalentStation("workers", tuple(map(float, inside))),
    ]
    return float(solve_closed(stations, clients).throughput[-1])


def throughputs(machines: Machines, cells: pd.DataFrame) -> FloatArray:
    """Predict the sets/s of every cell, shape (cells,)."""
    return np.array(
        [
            throughput(machines, cell)
            for cell in ({str(k): v for k, v in row.items()} for row in cells.to_dict("records"))
        ]
    )


def _server(machines: Machines, most: int, longer: float) -> FlowEquivalentStation:
    """Make the station of up to `most` sets, of which each takes so many times as long."""
    held = np.arange(1.0, most + 1)
    rates = machines.alone_per_s * held**machines.exponent / longer
    return FlowEquivalentStation("server", tuple(rates.tolist()))
