"""The response time of one system over its load, as measured and as it might have been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.statistics.student import QUANTILE_CONFIDENCE
from analysis.units import MS_PER_S

Array = NDArray[np.float64]
Interval = tuple[float, float]

THROUGHPUT, RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"
THINK_TIME = "think_time_s"
DRAWS, _SEED = 1000, 1
BEYOND = (1 - QUANTILE_CONFIDENCE) / 2
"""What an interval leaves out on either side."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """Loads of one system, rising; L = number of loads.

    Attributes
    ----------
    clients
        N > 0, shape (L,).
    response_time
        R in seconds, shape (..., L): one curve, or many that are drawn of it.
    served
        X (R + Z) / N, the share of the clients that throughput and response time tell of, about
        1; shape (L,).
    think_time
        Z in seconds.
    """

    clients: Array
    response_time: Array
    served: Array
    think_time: float

    def at(self, index: int) -> Array:
        """Return the response time at one load, shape (...)."""
        return np.asarray(self.response_time[..., index])

    @property
    def throughput(self) -> Array:
        """X in requests/s, shape (..., L), by the interactive law."""
        return np.asarray(
            self.served * self.clients / (self.response_time + self.think_time), dtype=float
        )


def with_think_time(frame: pd.DataFrame, by: Sequence[str]) -> list[str]:
    """Return what makes a system: `by`, and the think time where a level of `by` has several.

    Parameters
    ----------
    frame
        Runs or cells; `think_time_s` is 0 where clients do not think, NaN in an open loop.
    """
    names = list(by)
    if THINK_TIME in names or THINK_TIME not in frame:
        return names
    levels = frame[[*names, THINK_TIME]].drop_duplicates()
    several = levels.duplicated(names).any() if names else len(levels) > 1
    return [*names, THINK_TIME] if several else names


def curves_of(
    cells: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[dict[str, Any], pd.DataFrame, Curve]]:
    """Yield each system's levels, its cells by rising load, and its curve.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`; those that measured nothing are left out.

    Raises
    ------
    ValueError
        No cells, a system without any load that was measured, or with several cells of one load
        (`by` then lacks what tells them apart).
    """
    if cells.empty:
        raise ValueError("there are no cells to find a capacity in")
    names = with_think_time(cells, by)
    for levels, system in cells.groupby(names, dropna=False):
        loads = _measured(system)
        clients = loads["num_clients"].to_numpy(dtype=float)
        think = float(loads[THINK_TIME].fillna(0).iloc[0]) if THINK_TIME in loads else 0.0
        response_time = loads[f"{RESPONSE_TIME}_mean"].to_numpy(dtype=float) / MS_PER_S
        throughput = loads[f"{THROUGHPUT}_mean"].to_numpy(dtype=float)
        curve = Curve(
            clients=clients,
            response_time=response_time,
            served=throughput * (response_time + think) / clients,
            think_time=think,
        )
        yield dict(zip(names, levels, strict=True)), loads, curve


def drawn(curve: Curve, loads: pd.DataFrame) -> Curve | None:
    r"""Draw what the curve would be if the experiment were made again: a parametric bootstrap.

    The logarithm of each load's mean response time is drawn from :math:`\ln \bar x + t_\nu\, e /
    \bar x` with its standard error and degrees of freedom; throughput follows by the interactive
    law, as it does in a closed loop.

    There are `DRAWS` curves; None where a load has no two repetitions.

    References
    ----------
    Efron & Tibshirani 1993, section 6.5.
    """
    repetitions = loads[f"{RESPONSE_TIME}_repetitions"].to_numpy(dtype=float)
    if repetitions.min() < 2:
        return None
    error = loads[f"{RESPONSE_TIME}_error"].to_numpy(dtype=float) / MS_PER_S / curve.response_time
    freedom = repetitions - 1
    rng = np.random.default_rng(_SEED)
    errors = rng.standard_t(freedom, size=(DRAWS, len(freedom)))
    return replace(curve, response_time=curve.response_time * np.exp(errors * error))


def middle(low: Array, high: Array, *, rivals: int = 1) -> Interval:
    """Return the bounds that hold 95 % of what was drawn, `low` and `high` of each draw.

    Parameters
    ----------
    rivals
        How many there are that `low` was chosen from as the best.
    """
    return (
        float(np.quantile(low, BEYOND / rivals, method="lower")),
        float(np.quantile(high, 1 - BEYOND, method="higher")),
    )


def _measured(system: pd.DataFrame) -> pd.DataFrame:
    """Cells of one system by rising load, without those that measured nothing."""
    loads = system.dropna(subset=[f"{THROUGHPUT}_mean", f"{RESPONSE_TIME}_mean"])
    if loads.empty:
        raise ValueError(f"no load of a system has both {THROUGHPUT} and {RESPONSE_TIME}")
    twice = loads.loc[loads["num_clients"].duplicated(), "num_clients"]
    if len(twice):
        raise ValueError(
            f"several cells of a system have {twice.iloc[0]:g} clients: `by` must name what else "
            "tells them apart"
        )
    return loads.sort_values("num_clients").reset_index(drop=True)
