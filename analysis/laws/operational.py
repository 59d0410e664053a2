"""Operational laws: relations between measured quantities that need no assumption on distributions.

Rates are per second, times in seconds; all arguments may be arrays and are broadcast.

References
----------
Jain 1991, chapter 33; Denning & Buzen 1978, doi:10.1145/356733.356735.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.statistics.student import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Bounds:
    """Bounds of a closed system in requests/s and seconds, shape (N,): one for each population."""

    throughput_upper: FloatArray
    throughput_lower: FloatArray
    response_time_lower: FloatArray
    response_time_upper: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class AsymptoticBounds(Bounds):
    """Bounds by demands alone, and the population N* above which requests must queue somewhere."""

    knee: float


def interactive_throughput(
    num_clients: ArrayLike, response_time: ArrayLike, think_time: ArrayLike = 0.0
) -> FloatArray:
    r"""Throughput of a closed system by the interactive response time law.

    .. math:: X = N / (R + Z)

    The throughput is in requests/s.

    Parameters
    ----------
    num_clients
        Clients N >= 0, each with one request at a time.
    response_time
        R >= 0 in seconds; R + Z > 0.
    think_time
        Z >= 0 in seconds.

    Raises
    ------
    ValueError
        A negative argument, or R + Z = 0.

    References
    ----------
    Jain 1991, section 33.5.
    """
    clients = _at_least_zero("num_clients", num_clients)
    cycle_time = _at_least_zero("response_time", response_time) + _at_least_zero(
        "think_time", think_time
    )
    _above_zero("response_time + think_time", cycle_time)
    return np.asarray(clients / cycle_time)


def interactive_response_time(
    num_clients: ArrayLike, throughput: ArrayLike, think_time: ArrayLike = 0.0
) -> FloatArray:
    r"""Response time of a closed system by the interactive response time law.

    .. math:: R = N / X - Z

    The response time is in seconds.

    Parameters
    ----------
    num_clients
        Clients N >= 0.
    throughput
        X > 0 in requests/s.
    think_time
        Z >= 0 in seconds.

    Raises
    ------
    ValueError
        An argument out of its domain, or Z above N / X: such clients cannot reach X.

    References
    ----------
    Jain 1991, section 33.5.
    """
    clients = _at_least_zero("num_clients", num_clients)
    rate = _above_zero("throughput", throughput)
    think = _at_least_zero("think_time", think_time)
    response_time = clients / rate - think
    rounding = np.abs(response_time) <= 1e-12 * think  # N / X and Z equal but for the last digits
    response_time = np.where(rounding, 0.0, response_time)
    return _at_least_zero("num_clients / throughput - think_time", response_time)


def littles_law(throughput: ArrayLike, response_time: ArrayLike) -> FloatArray:
    r"""Mean number of requests in a system, or waiting in a queue, by Little's law.

    .. math:: N = X R

    Parameters
    ----------
    throughput
        X >= 0 in requests/s.
    response_time
        R >= 0 in seconds; the waiting time for the queue alone.

    References
    ----------
    Jain 1991, section 33.3; Little 1961, doi:10.1287/opre.9.3.383.
    """
    rate = _at_least_zero("throughput", throughput)
    return np.asarray(rate * _at_least_zero("response_time", response_time))


def utilization(throughput: ArrayLike, service_demand: ArrayLike) -> FloatArray:
    r"""Utilization of a device by the utilization law.

    .. math:: U = X D, \quad D = V S

    The fraction of time busy is not limited to 1: a value above tells that the demand is not that
    of this device.

    Parameters
    ----------
    throughput
        System throughput X >= 0 in requests/s.
    service_demand
        D >= 0 in seconds: what one request needs of the device over all its visits; for a device
        of m servers, divided by m.

    References
    ----------
    Jain 1991, section 33.1.
    """
    rate = _at_least_zero("throughput", throughput)
    return np.asarray(rate * _at_least_zero("service_demand", service_demand))


def asymptotic_bounds(
    demands: ArrayLike, think_time: float, num_clients: ArrayLike
) -> AsymptoticBounds:
    r"""Bound throughput and response time of a closed system by its demands alone.

    With :math:`D = \sum_k D_k`, :math:`D_{max} = \max_k D_k`:

    .. math::

        \frac{N}{N D + Z} \le X(N) \le \min\left(\frac{1}{D_{max}}, \frac{N}{D + Z}\right)

        \max(D, N D_{max} - Z) \le R(N) \le N D

        N^* = (D + Z) / D_{max}

    Parameters
    ----------
    demands
        Service demands D_k >= 0 in seconds, not all 0, shape (K,), K = number of service centers.
    think_time
        Z >= 0 in seconds.
    num_clients
        Populations N > 0, shape (N,).

    References
    ----------
    Jain 1991, section 33.6; Lazowska et al. 1984, chapter 5 (lower bound of throughput).
    """
    demand = _at_least_zero("demands", demands)
    think = _at_least_zero("think_time", think_time)
    clients = _above_zero("num_clients", num_clients)
    total = demand.sum()
    _above_zero("sum of demands", total)
    largest = demand.max()
    return AsymptoticBounds(
        throughput_upper=np.minimum(1 / largest, clients / (total + think)),
        throughput_lower=np.asarray(clients / (clients * total + think)),
        response_time_lower=np.maximum(total, clients * largest - think),
        response_time_upper=np.asarray(clients * total),
        knee=float((total + think) / largest),
    )


def balanced_job_bounds(demands: ArrayLike, think_time: float, num_clients: ArrayLike) -> Bounds:
    r"""Bound a network of single-server stations by two balanced ones.

    With :math:`D = \sum_k D_k` and :math:`D_{avg}`, :math:`D_{max}` over the K stations:

    .. math::

        \max\left(N D_{max} - Z,\; D + (N - 1) D_{avg} \frac{D}{D + Z}\right) \le R(N) \le
        D + (N - 1) D_{max} \frac{(N - 1) D}{(N - 1) D + Z}

    and :math:`X(N) = N / (R(N) + Z)` of them.

    Parameters
    ----------
    demands
        Service demands D_k >= 0 in seconds, not all 0, shape (K,): of single-server stations that
        are not delays. Time in delays belongs to the think time.
    think_time
        Z >= 0 in seconds.
    num_clients
        Populations N >= 1, shape (N,).

    References
    ----------
    Jain 1991, section 34.4; Zahorjan et al. 1982, doi:10.1145/358396.358447.
    """
    demand = np.atleast_1d(np.asarray(demands, dtype=np.float64))
    clients = np.asarray(num_clients, dtype=np.float64)
    if not (np.all(demand >= 0) and 0 < demand.sum() < np.inf):
        raise ValueError(f"demands must be >= 0 and not all 0, got {demand.tolist()}")
    if not think_time >= 0:
        raise ValueError(f"think_time must be >= 0, got {think_time}")
    if not np.all(clients >= 1):
        raise ValueError(f"num_clients must be >= 1, got {clients.min():g}")
    total, largest, others = demand.sum(), demand.max(), clients - 1
    balanced = total + others * demand.mean() * total / (total + think_time)
    cycle_time = others * total + think_time
    queueing = np.divide(
        others**2 * total, cycle_time, out=np.zeros_like(clients), where=cycle_time > 0
    )
    lower = np.maximum(clients * largest - think_time, balanced)
    upper = total + largest * queueing
    return Bounds(
        throughput_upper=clients / (lower + think_time),
        throughput_lower=clients / (upper + think_time),
        response_time_lower=lower,
        response_time_upper=upper,
    )


def _at_least_zero(name: str, value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    if np.any(array < 0):
        raise ValueError(f"{name} must be >= 0, got {array[array < 0].flat[0]:g}")
    return array


def _above_zero(name: str, value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    if np.any(array <= 0):
        raise ValueError(f"{name} must be > 0, got {array[array <= 0].flat[0]:g}")
    return array
