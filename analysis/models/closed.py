r"""Closed queueing networks of single-server, multi-server, delay and flow-equivalent stations.

Mean-value analysis, exact for product-form networks with one class of clients. What textbook
versions of it lose for multi-server stations is the probability that all servers are busy: they
take it as one minus a sum, and the rounding errors grow until probabilities and throughput turn
negative. Here it comes from `analysis.models.convolution`, where all terms are positive.

References
----------
Jain 1991, chapters 34 and 35; Reiser & Lavenberg 1980, doi:10.1145/322186.322195.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.models.convolution import arrival_conditions, throughputs
from analysis.statistics.student import FloatArray


@dataclass(frozen=True)
class Station:
    """A service center of one or more equal servers with one queue.

    Attributes
    ----------
    service_time
        S >= 0 of one visit at one server, in seconds.
    visit_ratio
        Visits V >= 0 of one client request.
    num_servers
        m >= 1, a whole number; ``math.inf`` makes a delay: nobody waits.
    """

    name: str
    service_time: float
    visit_ratio: float = 1.0
    num_servers: float = 1

    def __post_init__(self) -> None:
        for field in ("service_time", "visit_ratio"):
            value = getattr(self, field)
            if not 0 <= value < math.inf:
                raise ValueError(f"{field} of {self.name!r} must be >= 0 and finite, got {value}")
        m = self.num_servers
        if not (m >= 1 and (m == math.inf or m == int(m))):
            raise ValueError(
                f"num_servers of {self.name!r} must be a whole number >= 1 or inf, got {m}"
            )

    @property
    def service_demand(self) -> float:
        """Seconds of service that one request needs over all its visits, D = V S."""
        return float(self.visit_ratio * self.service_time)

    @property
    def service_interval(self) -> float:
        """Seconds between two completions while all servers are busy, D / m."""
        return self.service_demand / self.num_servers

    def intervals(self) -> FloatArray:
        """Seconds between two completions with 1..m requests present, shape (m,)."""
        return self.service_demand / np.arange(1.0, self.num_servers + 1)


@dataclass(frozen=True)
class FlowEquivalentStation:
    """A part of a system, seen from outside: how fast it completes requests when it holds j.

    Attributes
    ----------
    rates
        Completions/s with 1, 2, ..., m requests inside, above 0; the last holds for more than m:
        the others wait outside.

    References
    ----------
    Jain 1991, section 36.2; Chandy, Herzog & Woo 1975, doi:10.1147/rd.191.0036.
    """

    name: str
    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.rates or not all(0 < rate < math.inf for rate in self.rates):
            raise ValueError(f"rates of {self.name!r} must be > 0 and finite, got {self.rates}")

    @property
    def num_servers(self) -> int:
        """How many requests fit inside, m."""
        return len(self.rates)

    @property
    def service_demand(self) -> float:
        """Seconds that a request takes when it is alone inside."""
        return 1 / self.rates[0]

    @property
    def service_interval(self) -> float:
        """Seconds between two completions while it is full."""
        return 1 / self.rates[-1]

    def intervals(self) -> FloatArray:
        """Seconds between two completions with 1..m requests present, shape (m,)."""
        return 1 / np.array(self.rates)


AnyStation = Station | FlowEquivalentStation


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedSolution:
    """Measures of a closed network for every population 1..N; K stations in the order given.

    Attributes
    ----------
    throughput
        Requests/s, shape (N,).
    response_time
        Seconds without think time, shape (N,).
    utilization
        Of each server, 0..1, 0 for a delay, shape (N, K); for a flow-equivalent station the share
        of its places that is taken.
    num_in_station
        Requests waiting or in service, shape (N, K).
    residence_time
        Seconds that a request spends at the station over all its visits, shape (N, K).
    """

    stations: tuple[AnyStation, ...]
    think_time: float
    throughput: FloatArray
    response_time: FloatArray
    utilization: FloatArray
    num_in_station: FloatArray
    residence_time: FloatArray


def solve_closed(
    stations: Sequence[AnyStation],
    num_clients: int,
    think_time: float = 0.0,
) -> ClosedSolution:
    r"""Solve a closed network exactly for 1..N clients.

    With :math:`L_k` the requests waiting at station k, and :math:`P_k(m_k)` the probability that
    all its servers are busy, a request that arrives finds what one client fewer leaves:

    .. math::

        R_k(N) = D_k + \frac{D_k}{m_k} \left(P_k(m_k \mid N - 1) + L_k(N - 1)\right), \quad
        X(N) = \frac{N}{Z + \sum_k R_k(N)}

    .. math::

        L_k(N) = X(N) \left(R_k(N) - D_k\right), \quad Q_k(N) = X(N) R_k(N), \quad
        U_k(N) = X(N) D_k / m_k

    For one server :math:`P_k(1 \mid N) = U_k(N)`, which is Jain's form, :math:`D_k (1 + Q_k)`.

    Parameters
    ----------
    num_clients
        N >= 1, each with one request at a time.
    think_time
        Z >= 0 in seconds.

    Raises
    ------
    ValueError
        An argument out of its domain, or no station and no think time that takes any time.

    References
    ----------
    Jain 1991, box 34.1 (single servers and delays), section 36.1 (load-dependent centers).
    """
    _check(stations, num_clients, think_time)
    num_clients = int(num_clients)
    num_servers = np.array([station.num_servers for station in stations], dtype=np.float64)
    interval = np.array([station.service_interval for station in stations])
    service, all_busy = _seen_on_arrival(stations, num_clients, think_time)
    single = np.where(num_servers == 1, interval, 0.0)  # busy with probability X D
    without_waiting = think_time + service.sum(axis=1)
    throughput, waiting_time = np.empty(num_clients), np.empty_like(service)
    throughput_before, waited = 0.0, np.zeros(len(stations))
    for n in range(num_clients):  # requests that an arrival finds in the network
        waited = interval * (all_busy[n] + throughput_before * (single + waited))
        throughput_before = (n + 1) / (without_waiting[n] + np.add.reduce(waited))
        throughput[n], waiting_time[n] = throughput_before, waited
    residence_time = service + waiting_time
    rate = throughput[:, np.newaxis]
    return ClosedSolution(
        stations=tuple(stations),
        think_time=think_time,
        throughput=throughput,
        response_time=residence_time.sum(axis=1),
        utilization=np.minimum(rate * service / num_servers, 1.0),  # 1 + 2e-16 is rounding
        num_in_station=rate * residence_time,
        residence_time=residence_time,
    )


def closed_throughput(
    stations: Sequence[AnyStation], num_clients: int, think_time: float = 0.0
) -> FloatArray:
    """Return the throughput of `solve_closed` alone, several times faster.

    Requests/s with 1..N clients, shape (N,). Parameters and errors are those of `solve_closed`.

    References
    ----------
    Buzen 1973, doi:10.1145/362342.362345; Jain 1991, chapter 35.
    """
    _check(stations, num_clients, think_time)
    return throughputs(*_parts(stations, int(num_clients), think_time), int(num_clients))


def _seen_on_arrival(
    stations: Sequence[AnyStation], num_clients: int, think_time: float
) -> tuple[FloatArray, FloatArray]:
    """Mean service and probability that all servers are busy, at each station, shape (N, K).

    The probability is left at 0 for delays, for stations with a server for every client, which
    are delays to them, and for single servers, where it is the utilization.
    """
    service = np.tile([station.service_demand for station in stations], (num_clients, 1))
    all_busy = np.zeros_like(service)
    limited = [k for k, station in enumerate(stations) if _is_limited(station, num_clients)]
    conditions = arrival_conditions(*_parts(stations, num_clients, think_time), num_clients - 1)
    for k, (seen, busy) in zip(limited, conditions, strict=True):
        all_busy[:, k] = busy
        if isinstance(stations[k], FlowEquivalentStation):
            service[:, k] = seen
    return service, all_busy


def _parts(
    stations: Sequence[AnyStation], num_clients: int, think_time: float
) -> tuple[float, list[float], list[FloatArray]]:
    """Return delay, single servers and limited stations of a network, as `convolution` has them."""
    limited = [station for station in stations if _is_limited(station, num_clients)]
    others = [station for station in stations if not _is_limited(station, num_clients)]
    return (
        think_time + sum(s.service_demand for s in others if s.num_servers > 1),
        [s.service_demand for s in others if s.num_servers == 1 and s.service_demand > 0],
        [station.intervals() for station in limited],
    )


def _is_limited(station: AnyStation, num_clients: int) -> bool:
    if isinstance(station, FlowEquivalentStation):
        return station.num_servers > 1
    return 1 < station.num_servers < num_clients and station.service_demand > 0


def _check(stations: Sequence[AnyStation], num_clients: int, think_time: float) -> None:
    if not stations:
        raise ValueError("stations must hold at least one station, got none")
    if not 1 <= num_clients < math.inf or num_clients != int(num_clients):
        raise ValueError(f"num_clients must be a whole number >= 1, got {num_clients}")
    if not 0 <= think_time < math.inf:
        raise ValueError(f"think_time must be >= 0 and finite, got {think_time}")
    if think_time + sum(station.service_demand for station in stations) == 0:
        raise ValueError("think_time or the demand of some station must be > 0, got 0 for all")
