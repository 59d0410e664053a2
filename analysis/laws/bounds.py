"""Balanced-job bounds: closer than the asymptotic ones, and still without solving the network.

The asymptotic bounds are `analysis.laws.operational.asymptotic_bounds`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.statistics.intervals import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class BalancedJobBounds:
    """Bounds of a closed network, each of shape (N,) for the populations that were asked for.

    Attributes
    ----------
    throughput_upper, throughput_lower
        Requests/s.
    response_time_lower, response_time_upper
        Seconds.
    """

    throughput_upper: FloatArray
    throughput_lower: FloatArray
    response_time_lower: FloatArray
    response_time_upper: FloatArray


def balanced_job_bounds(
    demands: ArrayLike, think_time: float, num_clients: ArrayLike
) -> BalancedJobBounds:
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
    return BalancedJobBounds(
        throughput_upper=clients / (lower + think_time),
        throughput_lower=clients / (upper + think_time),
        response_time_lower=lower,
        response_time_upper=upper,
    )
