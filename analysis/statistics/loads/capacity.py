r"""Usable capacity: the largest throughput before a limit of the response time is passed.

Jain 1991, section 3.3: the throughput at saturation often has response times that nobody would
accept, so that capacity is asked for under a limit that is told before. The limit here is twice
the response time at the smallest load: a request then waits as long as it is worked on. In an
M/M/1 station that is where throughput over response time, the power, is largest (Kleinrock 1979,
"Power and deterministic rules of thumb", ICC); in a closed loop it is beyond the knee, at
:math:`2 N^*` where service times do not vary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.statistics.loads.curve import (
    RESPONSE_TIME,
    THROUGHPUT,
    Array,
    Curve,
    Interval,
    curves_of,
    drawn,
    middle,
)
from analysis.statistics.loads.saturation import ceiling, knee, nominal_capacity
from analysis.units import MS_PER_S

LIMIT = 2.0  # times the response time at the smallest load


def capacities(cells: pd.DataFrame, by: Sequence[str], *, limit: float = LIMIT) -> pd.DataFrame:
    """Find usable capacity, nominal capacity and knee of each system.

    One row per system: `by` (and `think_time_s` where it varies); `num_clients`, where the limit is
    reached, linear between loads; ``<measure>_mean`` of every measure there, the throughput's being
    the usable capacity; `limit_ms`; `is_passed`, whether a load passed the limit (otherwise the
    capacity is at least this, and all is of the largest load); `repetitions` (the fewest of a
    load); and `usable_capacity_ops_per_s`, `nominal_capacity_ops_per_s` and `knee_clients`, each
    with its 95 % interval, such as `usable_capacity_ci_low_ops_per_s` and `knee_clients_ci_high`.
    An interval without an end has an infinite `ci_high`; with one repetition it is NaN.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`: columns `by`, `num_clients`, `think_time_s` (0 if
        it is missing), and the aggregated measures, throughput and response time at the clients
        among them.
    limit
        Of the response time, as a multiple of that at the smallest load, above 1.

    Raises
    ------
    ValueError
        A limit that the smallest load passes, or cells as `analysis.statistics.loads.curve`
        refuses them.
    """
    if not limit > 1:
        raise ValueError(f"limit must be > 1 times the response time at light load, got {limit}")
    rows = []
    for levels, loads, curve in curves_of(cells, by):
        draws = drawn(curve, loads)
        clients = float(_clients_at(curve, limit)[0])
        usable = float(usable_bounds(curve, limit)[0])
        measures = {**_at(loads, clients), f"{THROUGHPUT}_mean": usable}
        rows.append(
            {
                **levels,
                "num_clients": clients,
                **measures,
                "limit_ms": limit * curve.response_time[0] * MS_PER_S,
                "is_passed": bool(_passed(curve, limit).any()),
                "repetitions": int(loads[f"{RESPONSE_TIME}_repetitions"].min()),
                **_told("usable_capacity", "_ops_per_s", usable, _interval(draws, limit)),
                **_told("nominal_capacity", "_ops_per_s", *nominal_capacity(curve, draws)),
                **_told("knee_clients", "", *knee(curve, draws)),
            }
        )
    return pd.DataFrame(rows)


def usable_bounds(curve: Curve, limit: float) -> tuple[Array, Array]:
    """Return the least and the most that the usable capacity can be, requests/s, shape (...).

    The least is linear between loads. The most is where the lines through the loads on either
    side reach the limit; it is infinite where no load passes it.
    """
    low, high = _clients_at(curve, limit)
    cycle = limit * curve.at(0) + curve.think_time
    served = np.interp(low, curve.clients, curve.served)
    last = ~_passed(curve, limit).any(axis=-1)
    least = np.where(last, curve.throughput[..., -1], served * low / cycle)
    most = np.where(last, np.inf, np.minimum(served * high / cycle, ceiling(curve)))
    return least, np.maximum(least, most)


def _interval(draws: Curve | None, limit: float) -> Interval:
    if draws is None:
        return np.nan, np.nan
    return middle(*usable_bounds(draws, limit))


def _passed(curve: Curve, limit: float) -> NDArray[np.bool_]:
    return np.asarray(curve.response_time > limit * curve.response_time[..., :1])


def _clients_at(curve: Curve, limit: float) -> tuple[Array, Array]:
    """Return the fewest and the most clients at which the limit may be reached.

    Where no load passes it both are the largest load.
    """
    clients, last = curve.clients, len(curve.clients) - 1
    passed = _passed(curve, limit)
    some = passed.any(axis=-1)
    above = np.where(some, passed.argmax(axis=-1), last)
    below = np.maximum(above - 1, 0)
    most_time = limit * curve.at(0)

    def crossing(one: NDArray[np.intp], other: NDArray[np.intp]) -> Array:
        """Clients at which the line through two loads reaches the limit."""
        times = [
            np.take_along_axis(curve.response_time, index[..., np.newaxis], -1)[..., 0]
            for index in (one, other)
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (times[1] - times[0]) / (clients[other] - clients[one])
            found = clients[one] + (most_time - times[0]) / slope
        return np.where(slope > 0, found, np.inf)

    chord = crossing(below, above)
    from_left = np.where(below > 0, crossing(np.maximum(below - 1, 0), below), np.inf)
    from_right = np.where(above < last, crossing(above, np.minimum(above + 1, last)), np.inf)
    fewest = np.where(some, chord, clients[last])
    most = np.minimum(np.minimum(from_left, from_right), clients[above])
    return fewest, np.where(some, np.maximum(fewest, most), clients[last])


def _at(loads: pd.DataFrame, clients: float) -> dict[str, float]:
    """Every mean at a number of clients: linear between loads, of throughput the cycle time is."""
    known = loads["num_clients"].to_numpy(dtype=float)
    found = {}
    for name in [name for name in loads.columns if str(name).endswith("_mean")]:
        values = loads[name].to_numpy(dtype=float)
        if name.endswith("throughput_ops_per_s_mean"):
            found[name] = float(clients / np.interp(clients, known, known / values))
        else:
            found[name] = float(np.interp(clients, known, values))
    return found


def _told(name: str, unit: str, value: float, interval: Interval) -> dict[str, float]:
    low, high = interval
    return {f"{name}{unit}": value, f"{name}_ci_low{unit}": low, f"{name}_ci_high{unit}": high}
