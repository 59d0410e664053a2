r"""Single stations with Poisson arrivals and exponential service: M/M/1, M/M/m.

Rates are per second, times in seconds. Arguments may be arrays and are broadcast; every measure
has the broadcast shape.

References
----------
Jain 1991, chapter 31: box 31.1 (M/M/1), box 31.2 (M/M/m).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import exprel, gammaln

from analysis.statistics.student import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenStation:
    r"""Steady state of an M/M/m station; :math:`\varrho` is the probability of queueing.

    Attributes
    ----------
    arrival_rate, service_rate, num_servers
        :math:`\lambda`, :math:`\mu` of one server, m.
    utilization
        Of each server, 0..1.
    probability_of_empty, probability_of_queueing
        That nobody is in the system; that an arrival has to wait.
    num_in_system, num_in_system_variance
        Jobs waiting and in service.
    queue_length, queue_length_variance
        Jobs waiting.
    response_time, response_time_variance
        Waiting and service; s, s^2.
    waiting_time, waiting_time_variance
        In the queue only; s, s^2.
    """

    arrival_rate: FloatArray
    service_rate: FloatArray
    num_servers: FloatArray
    utilization: FloatArray
    probability_of_empty: FloatArray
    probability_of_queueing: FloatArray
    num_in_system: FloatArray
    num_in_system_variance: FloatArray
    queue_length: FloatArray
    queue_length_variance: FloatArray
    response_time: FloatArray
    response_time_variance: FloatArray
    waiting_time: FloatArray
    waiting_time_variance: FloatArray

    def waiting_time_percentile(self, percentile: float) -> FloatArray:
        r"""Time in s that `percentile` % of the jobs wait at most.

        .. math:: \max\left(0, \frac{\ln(100 \varrho / (100 - q))}{m \mu - \lambda}\right)
        """
        _check_percentile(percentile)
        queueing = np.asarray(self.probability_of_queueing)
        waits = queueing > 1 - percentile / 100
        with np.errstate(divide="ignore", invalid="ignore"):
            time = np.log(100 * queueing / (100 - percentile)) / self._spare_rate()
        return np.where(waits, time, 0.0)[()]

    def response_time_percentile(self, percentile: float) -> FloatArray:
        """Time in s within which `percentile` % of the jobs are answered."""
        _check_percentile(percentile)
        target = 1 - percentile / 100
        rows = np.broadcast_arrays(
            self.probability_of_queueing, self.service_rate, self._spare_rate()
        )
        times = [
            _solve_tail(target, *(float(value) for value in row))
            for row in zip(*(array.flat for array in rows), strict=True)
        ]
        return np.reshape(times, rows[0].shape)[()]

    def _spare_rate(self) -> FloatArray:
        return self.num_servers * self.service_rate - self.arrival_rate


def mm1(arrival_rate: ArrayLike, service_rate: ArrayLike) -> OpenStation:
    r"""Solve M/M/1: one server, unlimited queue.

    .. math:: E[r] = \frac{1}{\mu - \lambda}, \quad E[w] = \rho E[r], \quad \rho = \lambda / \mu

    Parameters
    ----------
    arrival_rate
        :math:`\lambda \ge 0` in jobs/s.
    service_rate
        :math:`\mu > \lambda` in jobs/s.
    """
    return mmm(arrival_rate, service_rate, 1)


def mmm(arrival_rate: ArrayLike, service_rate: ArrayLike, num_servers: ArrayLike) -> OpenStation:
    r"""Solve M/M/m: m servers, one unlimited queue.

    .. math::

        E[w] = \frac{\varrho}{m \mu - \lambda}, \quad E[r] = E[w] + 1 / \mu, \quad
        \rho = \frac{\lambda}{m \mu}

    with :math:`\varrho` by Erlang's C formula. It is computed from the recursion of Erlang's B
    formula, in which all terms are positive, so that it neither overflows nor cancels.

    Parameters
    ----------
    arrival_rate
        :math:`\lambda \ge 0` in jobs/s.
    service_rate
        :math:`\mu > 0` of one server in jobs/s.
    num_servers
        Whole number m >= 1, with :math:`m \mu > \lambda`.

    Raises
    ------
    ValueError
        An argument out of its domain, or utilization of 1 or more: the system is unstable.
    """
    lam, mu = _rates(arrival_rate, service_rate)
    lam, mu, m = np.broadcast_arrays(lam, mu, np.asarray(num_servers, dtype=np.float64))
    wrong = (m < 1) | (m != np.floor(m)) | np.isinf(m)
    if np.any(wrong):
        raise ValueError(f"num_servers must be whole numbers >= 1, got {m[wrong].flat[0]:g}")
    rho = lam / (m * mu)
    if np.any(rho >= 1):
        worst = rho.max()
        raise ValueError(f"utilization must be < 1, got {worst:.6g}: the system is unstable")
    spare_rate = m * mu - lam
    idle = spare_rate / (m * mu)  # 1 - rho without cancellation
    blocking = _erlang_b(lam / mu, m)
    queueing = blocking / (idle + rho * blocking)
    waiting_time = queueing / spare_rate
    queue_length = lam * waiting_time
    queue_length_variance = rho * queueing * (1 + rho - rho * queueing) / idle**2
    waiting_time_variance = queueing * (2 - queueing) / spare_rate**2
    return _station(
        arrival_rate=lam,
        service_rate=mu,
        num_servers=m,
        utilization=rho,
        probability_of_empty=_probability_of_empty(lam / mu, m, blocking, idle),
        probability_of_queueing=queueing,
        num_in_system=lam / mu + queue_length,
        num_in_system_variance=lam / mu + queue_length_variance + m * rho * queueing,
        queue_length=queue_length,
        queue_length_variance=queue_length_variance,
        response_time=1 / mu + waiting_time,
        response_time_variance=1 / mu**2 + waiting_time_variance,
        waiting_time=waiting_time,
        waiting_time_variance=waiting_time_variance,
    )


def _station(**measures: FloatArray) -> OpenStation:
    """Make the result; scalars come out as scalars."""
    return OpenStation(**{name: np.asarray(value)[()] for name, value in measures.items()})


def _rates(arrival_rate: ArrayLike, service_rate: ArrayLike) -> tuple[FloatArray, FloatArray]:
    lam = np.asarray(arrival_rate, dtype=np.float64)
    mu = np.asarray(service_rate, dtype=np.float64)
    wrong = ~((lam >= 0) & np.isfinite(lam))
    if np.any(wrong):
        raise ValueError(f"arrival_rate must be >= 0 and finite, got {lam[wrong].flat[0]:g}")
    wrong = ~((mu > 0) & np.isfinite(mu))
    if np.any(wrong):
        raise ValueError(f"service_rate must be > 0 and finite, got {mu[wrong].flat[0]:g}")
    return lam, mu


def _erlang_b(offered: FloatArray, num_servers: FloatArray) -> FloatArray:
    """Erlang's B formula by 1/B(k) = 1 + k / a / B(k - 1), for every element at its own m."""
    inverse = np.ones_like(offered)
    with np.errstate(divide="ignore", over="ignore"):
        for k in range(1, int(num_servers.max(initial=0)) + 1):
            inverse = np.where(k <= num_servers, 1 + k / offered * inverse, inverse)
    return 1 / inverse


def _probability_of_empty(
    offered: FloatArray, num_servers: FloatArray, blocking: FloatArray, idle: FloatArray
) -> FloatArray:
    """P0 by way of logarithms: a^m / m! alone would overflow."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_term = num_servers * np.log(offered) - gammaln(num_servers + 1)  # a^m / m!
        log_sum = np.log(1 / blocking + (1 - idle) / idle)
        probability = np.exp(-log_term - log_sum)
    return np.where(np.isfinite(log_sum), probability, np.exp(-offered))


def _check_percentile(percentile: float) -> None:
    if not 0 <= percentile < 100:
        raise ValueError(f"percentile must be in [0, 100), got {percentile}")


def _solve_tail(target: float, queueing: float, service_rate: float, spare_rate: float) -> float:
    """Time r with P(response time > r) = target, by bisection on the falling tail."""
    longest = abs(np.log(target)) / service_rate
    if queueing == 0 or target == 1:
        return float(longest)
    longest += abs(np.log(target)) / spare_rate + 1 / spare_rate

    def excess(time: float) -> float:
        return _tail(time, queueing, service_rate, spare_rate) - target

    while excess(longest) > 0:
        longest *= 2
    return float(brentq(excess, 0, longest, xtol=1e-14 * longest, rtol=1e-14))


def _tail(time: float, queueing: float, service_rate: float, spare_rate: float) -> float:
    r"""P(response time > r): service alone, or service after an exponential wait.

    Without waiting :math:`e^{-\mu r}`; with it the sum of two exponential times of rates mu and
    :math:`\nu = m \mu - \lambda`. :math:`(e^{-\nu r} - e^{-\mu r}) / (\mu - \nu)` is written with
    ``exprel`` so that it stays exact where the two rates meet.
    """
    served = np.exp(-service_rate * time)
    slow, fast = sorted((service_rate, spare_rate))
    difference = time * np.exp(-slow * time) * exprel(-(fast - slow) * time)
    return float(served + queueing * service_rate * difference)
