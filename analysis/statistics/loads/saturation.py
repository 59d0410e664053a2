r"""Nominal capacity, and the knee where the two asymptotes meet.

The largest throughput is the nominal capacity (Jain 1991, section 3.3). The knee is where the
light-load tangent through the origin, :math:`N / (R_0 + Z)`, reaches it:
:math:`N^* = (R_0 + Z) X_{max}` (Jain 1991, section 33.6).
"""

from __future__ import annotations

import numpy as np

from analysis.statistics.loads.curve import BEYOND, Array, Curve, Interval, middle

NEAR = 0.05  # how far the asymptote may lie above the largest throughput that was reached


def ceiling(curve: Curve) -> Array:
    r"""Return the most that throughput can still rise to, requests/s, shape (...).

    As R(N) is convex, no chord of it is steeper than its asymptote:
    :math:`X_{max} \le (N_b - N_a) / (R_b - R_a)`, here from the largest load back to one of half
    the clients or fewer. Infinite where response time did not rise, or with one load.
    """
    clients = curve.clients
    largest = curve.throughput.max(axis=-1)
    fewer = np.flatnonzero(clients <= clients[-1] / 2)
    if not len(fewer):
        return np.full_like(largest, np.inf)
    start = int(fewer[-1])
    slope = (curve.at(-1) - curve.at(start)) / (clients[-1] - clients[start])
    with np.errstate(divide="ignore"):
        asymptote = np.where(slope > 0, curve.served[-1] / np.maximum(slope, 0), np.inf)
    return np.asarray(np.maximum(asymptote, largest))


def reached(curve: Curve) -> bool:
    """Tell whether no load beyond the largest can bring 5 % more."""
    return bool(ceiling(curve) <= (1 + NEAR) * curve.throughput.max())


def nominal_capacity(curve: Curve, draws: Curve | None) -> tuple[float, Interval]:
    """Return the largest throughput in requests/s, and its 95 % interval.

    The interval begins at what was reached at that load and ends at `ceiling`; it has no end where
    the nominal capacity was not `reached`, and is not known (NaN) without `draws`. The largest of
    several means is that of a lucky load: its lower end is that of all loads which may be the best
    (`rivals`).
    """
    value = float(curve.throughput.max())
    if draws is None:
        return value, (np.nan, np.nan)
    best = int(np.argmax(curve.throughput))
    low, high = middle(draws.throughput[..., best], ceiling(draws), rivals=rivals(curve, draws))
    return value, (low, high if reached(curve) else np.inf)


def rivals(curve: Curve, draws: Curve) -> int:
    """Return how many loads have a throughput whose interval may meet that of the largest.

    All intervals are taken to be as wide as that one's. The lower end of the largest is chosen from
    so many, and by Bonferroni's inequality leaves out as many times less than that of one.
    """
    best = int(np.argmax(curve.throughput))
    most = curve.throughput[best]
    reach = most - np.quantile(draws.throughput[..., best], BEYOND)
    return int((curve.throughput >= most - 2 * max(reach, 0.0)).sum())


def knee(curve: Curve, draws: Curve | None) -> tuple[float, Interval]:
    r"""Return the clients at the knee, and its 95 % interval.

    :math:`R_0`, the response time of one client, is at most that of the smallest load; at least
    what the line through the two smallest loads tells, and :math:`R(N) / N` (Lazowska et al. 1984,
    chapter 5). The interval holds both.
    """
    value = float(_knee(curve, curve.at(0), curve.throughput.max(axis=-1)))
    if draws is None:
        return value, (np.nan, np.nan)
    best = int(np.argmax(curve.throughput))
    low, high = middle(
        _knee(draws, _least_light_time(draws), draws.throughput[..., best]),
        _knee(draws, draws.at(0), ceiling(draws)),
        rivals=rivals(curve, draws),
    )
    return value, (low, high if reached(curve) else np.inf)


def _knee(curve: Curve, light_time: Array, throughput: Array) -> Array:
    return np.asarray(throughput * (light_time + curve.think_time) / curve.served[0])


def _least_light_time(curve: Curve) -> Array:
    clients, first = curve.clients, curve.at(0)
    least = first / clients[0]
    if len(clients) == 1:
        return np.asarray(least)
    slope = (curve.at(1) - first) / (clients[1] - clients[0])
    return np.asarray(np.clip(first - slope * (clients[0] - 1), least, first))
