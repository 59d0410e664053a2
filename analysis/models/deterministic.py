r"""M/D/1, and a link whose limit is a token bucket: Poisson arrivals of messages of one size.

A token bucket of :math:`B` bits that refills at :math:`r` bit/s lets a message pass at once while
it holds enough tokens. What is missing in the bucket drains like the work in an M/D/1 queue whose
server is the link, so that a message which finds :math:`w` seconds of work there is through after

.. math:: d = \max(0,\; w + S - \tau), \quad \tau = B / r

where :math:`S` is its own time at the rate. Without a bucket, :math:`\tau = 0`, this is M/D/1.

References
----------
Jain 1991, chapter 31 (M/D/1); Franx 2001, doi:10.1016/S0167-6377(01)00108-0 (waiting times of
M/D/c); Tijms 2003, A First Course in Stochastic Models, chapter 9 (numbers in M/G/1); tc-tbf(8).
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc

from analysis.statistics.student import FloatArray


def md1_num_in_system(traffic_intensity: float, most: int) -> FloatArray:
    r"""Probabilities of 0..n requests in an M/D/1 system.

    .. math::

        p_0 = 1 - \rho, \quad e^{-\rho} p_n = A_{n-1} p_0 + \sum_{k=1}^{n-1} A_{n-k} p_k

    with :math:`A_j`, the probability that more than j requests arrive during a service. All terms
    are positive: no digits are lost.

    Parameters
    ----------
    traffic_intensity
        :math:`\rho`, 0 <= rho < 1.
    most
        n >= 0.
    """
    rho = traffic_intensity
    if not 0 <= rho < 1:
        raise ValueError(f"traffic_intensity must be >= 0 and < 1, got {rho:g}: not stable")
    probabilities = np.zeros(most + 1)
    probabilities[0] = 1 - rho
    more = gammainc(np.arange(1.0, most + 2), rho)  # A_0, A_1, ...
    for n in range(1, most + 1):
        inside = probabilities[1:n] @ more[n - 1 : 0 : -1]
        probabilities[n] = (more[n - 1] * probabilities[0] + inside) * math.exp(rho)
    return probabilities


def md1_waiting_time_cdf(waiting_time: float, arrival_rate: float, service_time: float) -> float:
    r"""Probability that a request waits for at most t in M/D/1.

    .. math::

        P(w \le t) = \sum_{j=0}^{k-1} Q_{k-1-j} e^{-u} \frac{u^j}{j!}, \quad
        u = \lambda (k S - t), \quad (k - 1) S \le t < k S

    with :math:`Q_i`, the probability that at most i requests wait.

    Parameters
    ----------
    waiting_time
        t in seconds; below 0 the probability is 0.
    arrival_rate
        Requests/s, >= 0.
    service_time
        S > 0 in seconds.
    """
    _check(arrival_rate, service_time)
    if waiting_time < 0:
        return 0.0
    k = math.floor(waiting_time / service_time) + 1
    u = arrival_rate * max(0.0, k * service_time - waiting_time)
    terms = np.arange(k)
    poisson = gammaincc(terms + 1.0, u) - np.where(terms > 0, gammaincc(np.maximum(terms, 1), u), 0)
    return float(min(1.0, _at_most_waiting(arrival_rate * service_time, k)[::-1] @ poisson))


def link_time(
    arrival_rate: ArrayLike, service_time: ArrayLike, burst_time: float = 0.0
) -> FloatArray:
    r"""Mean time of a message on a link: M/D/1, or a token bucket.

    .. math::

        E[d] = E[w] + S - \tau + \int_0^{\tau - S} P(w \le t)\, dt, \quad
        E[w] = \frac{\rho S}{2 (1 - \rho)}

    The time is in seconds, and NaN where the utilization is 1 or more.

    Parameters
    ----------
    arrival_rate
        Messages/s, >= 0.
    service_time
        S > 0 of a message, its bits over the rate, in seconds.
    burst_time
        :math:`\tau` >= 0: bits that the bucket holds over the rate, in seconds; 0 without one.
    """
    if not 0 <= burst_time < math.inf:
        raise ValueError(f"burst_time must be >= 0 and finite, got {burst_time}")
    rates, times = np.broadcast_arrays(
        np.asarray(arrival_rate, dtype=float), np.asarray(service_time, dtype=float)
    )
    means = [
        _link_time(float(rate), float(seconds), burst_time) if rate * seconds < 1 else math.nan
        for rate, seconds in zip(rates.flat, times.flat, strict=True)
    ]
    return np.array(means).reshape(rates.shape)


def _link_time(rate: float, service_time: float, burst_time: float) -> float:
    _check(rate, service_time)
    rho = rate * service_time
    credit = burst_time - service_time
    mean = rho * service_time / 2 / (1 - rho) - credit
    if credit <= 0:
        return mean
    if rate == 0:
        return 0.0
    whole = math.floor(credit / service_time)
    at_most = _at_most_waiting(rho, whole + 1)
    covered = 0.0
    for k in range(1, whole + 2):  # the integral over (k - 1) S..k S, the last one up to the credit
        left = rate * max(0.0, k * service_time - credit) if k > whole else 0.0
        orders = np.arange(1.0, k + 1)
        covered += at_most[k - 1 :: -1] @ (gammainc(orders, rho) - gammainc(orders, left))
    return max(0.0, mean + covered / rate)


def _at_most_waiting(rho: float, count: int) -> FloatArray:
    """Probabilities that at most 0, 1, ..., count - 1 requests wait."""
    return np.asarray(np.cumsum(md1_num_in_system(rho, count))[1:])


def _check(arrival_rate: float, service_time: float) -> None:
    if not 0 < service_time < math.inf:
        raise ValueError(f"service_time must be > 0 and finite, got {service_time:g}")
    if not arrival_rate >= 0:
        raise ValueError(f"arrival_rate must be >= 0, got {arrival_rate:g}")
    if not arrival_rate * service_time < 1:
        raise ValueError(
            f"utilization must be < 1, got {arrival_rate * service_time:g}: the link is unstable"
        )
