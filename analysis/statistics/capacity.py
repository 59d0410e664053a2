"""Usable capacity: the load beyond which a system only answers more slowly."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

SMALLEST_RISE = 0.05


def usable_capacity(
    cells: pd.DataFrame,
    by: Sequence[str],
    *,
    throughput: str = "client_throughput_ops_per_s",
    response_time: str = "client_response_time_ms",
    smallest_rise: float = SMALLEST_RISE,
) -> pd.DataFrame:
    """Find the usable capacity of each system.

    It is the throughput at the smallest number of clients after which throughput no longer rises
    while response time does. From one load to a higher one a measure rises when the 95 %
    confidence intervals do not overlap, or when its mean grows by the fraction `smallest_rise`
    or more: the intervals of a few noisy repetitions are so wide that they always overlap, which
    is no sign of a plateau. With one repetition there are no intervals, only the means.

    Parameters
    ----------
    cells
        From `analysis.statistics.intervals.aggregate`: columns `by`, `num_clients`, and `_mean`,
        `_sd`,
        `_ci_low`, `_ci_high` of `throughput` and `response_time`.
    by
        What makes a system, such as ``["workload", "workers"]``.
    throughput, response_time
        Names of the measures.
    smallest_rise
        Fraction above 0.

    Returns
    -------
    pandas.DataFrame
        One row per system: `by`; the row's `num_clients` and measures; `saturated`, whether a
        higher load was measured and did not help (otherwise the capacity is at least this); and
        `found_by` in a few words: ``plateau (CI, 5 %)`` by intervals and means, ``plateau (5 %)``
        by means alone, either ``from the smallest load on`` where fewer clients may do as well, or
        ``largest load``.

    Raises
    ------
    ValueError
        No cells, a system without any load that was measured, or with several cells of one load
        (`by` then lacks what tells them apart).
    """
    if smallest_rise <= 0:
        raise ValueError(f"smallest_rise must be > 0, got {smallest_rise}")
    if cells.empty:
        raise ValueError("there are no cells to find a capacity in")
    rows = []
    for _, system in cells.groupby(list(by), dropna=False):
        loads = _measured(system, throughput, response_time)
        index = _first_without_gain(loads, throughput, response_time, smallest_rise)
        has_interval = loads[f"{throughput}_ci_low"].notna().all()
        rise = f"{smallest_rise * 100:g}\N{NO-BREAK SPACE}%"
        criterion = f"CI,\N{NO-BREAK SPACE}{rise}" if has_interval else rise
        saturated = index < len(loads) - 1
        rows.append(
            {
                **loads.loc[index].to_dict(),
                "saturated": saturated,
                "found_by": _found_by(index, criterion) if saturated else "largest load",
            }
        )
    return pd.DataFrame(rows)


def _found_by(index: int, criterion: str) -> str:
    return f"plateau ({criterion})" + ("" if index else " from the smallest load on")


def capacity_uncertainty(
    cells: pd.DataFrame,
    by: Sequence[str],
    *,
    throughput: str = "client_throughput_ops_per_s",
    response_time: str = "client_response_time_ms",
    smallest_rise: float = SMALLEST_RISE,
    draws: int = 1000,
    seed: int = 1,
) -> pd.DataFrame:
    r"""Tell how far the usable capacity would move if the experiment were repeated.

    A parametric bootstrap: the mean of every cell is drawn anew from
    :math:`\bar x + t_{r - 1}\, s / \sqrt r`, its interval with it, and `usable_capacity` is
    found each time. Cells of one repetition stay as they are.

    Parameters
    ----------
    cells, by, throughput, response_time, smallest_rise
        As for `usable_capacity`.
    draws, seed
        Number of repeated experiments, at least 1, and the seed of the draws.

    Returns
    -------
    pandas.DataFrame
        One row per system: `by`; `num_clients_low`, `num_clients_high` and `capacity_low`,
        `capacity_high`, which hold 95 % of the draws; `agreement`, the share of the draws that
        found the same number of clients as the measurement.

    References
    ----------
    Efron & Tibshirani 1993, section 6.5 (parametric bootstrap).
    """
    if draws < 1:
        raise ValueError(f"draws must be >= 1, got {draws}")
    rng = np.random.default_rng(seed)
    columns = (throughput, response_time)
    rows = []
    for key, system in cells.groupby(list(by), dropna=False):
        loads = _measured(system, throughput, response_time)
        clients = loads["num_clients"].to_numpy(dtype=int)
        measured = _first_without_gain(loads, throughput, response_time, smallest_rise)
        found: list[int] = []
        capacities: list[float] = []
        for _ in range(draws):
            drawn = loads.assign(
                **{name: values for c in columns for name, values in _draw(loads, c, rng).items()}
            )
            index = _first_without_gain(drawn, throughput, response_time, smallest_rise)
            found.append(clients[index])
            capacities.append(drawn[f"{throughput}_mean"].iloc[index])
        row = dict(zip(by, key, strict=True))
        row |= dict(zip(("num_clients_low", "num_clients_high"), _middle(found), strict=True))
        row |= dict(zip(("capacity_low", "capacity_high"), _middle(capacities), strict=True))
        rows.append(row | {"agreement": np.mean(np.array(found) == clients[measured])})
    return pd.DataFrame(rows)


def _measured(system: pd.DataFrame, throughput: str, response_time: str) -> pd.DataFrame:
    """Cells of one system by rising load, without those that measured nothing."""
    loads = system.dropna(subset=[f"{throughput}_mean", f"{response_time}_mean"])
    if loads.empty:
        raise ValueError(f"no load of a system has both {throughput} and {response_time}")
    twice = loads.loc[loads["num_clients"].duplicated(), "num_clients"]
    if len(twice):
        raise ValueError(
            f"several cells of a system have {twice.iloc[0]:g} clients: `by` must name what else "
            "tells them apart"
        )
    return loads.sort_values("num_clients").reset_index(drop=True)


def _draw(loads: pd.DataFrame, column: str, rng: np.random.Generator) -> dict[str, pd.Series]:
    """Mean and interval of every cell, moved by a draw of its mean's error."""
    repetitions = loads[f"{column}_repetitions"]
    errors = rng.standard_t(np.maximum(repetitions - 1, 1))
    shift = (errors * loads[f"{column}_sd"] / np.sqrt(repetitions)).fillna(0.0)
    names = [f"{column}_mean", f"{column}_ci_low", f"{column}_ci_high"]
    return {name: loads[name] + shift for name in names}


def _middle(values: ArrayLike) -> np.ndarray:
    """Bounds of the middle 95 % of the draws, each a value that was drawn."""
    bounds: np.ndarray = np.quantile(np.asarray(values), [0.025, 0.975], method="nearest")
    return bounds


def _first_without_gain(
    loads: pd.DataFrame, throughput: str, response_time: str, smallest_rise: float
) -> int:
    """Index of the first load above which none has more throughput, but all take longer.

    The largest load always qualifies: there is none above it.
    """
    above = np.triu(np.ones((len(loads), len(loads)), dtype=bool), k=1)
    gains = (_rises(loads, throughput, smallest_rise) & above).any(axis=1)
    slower = (_rises(loads, response_time, smallest_rise) | ~above).all(axis=1)
    return int(np.argmax(~gains & slower))


def _rises(loads: pd.DataFrame, column: str, smallest_rise: float) -> np.ndarray:
    """Whether `column` has risen from one load (row) to another (column)."""
    mean, low, high = (
        loads[f"{column}_{name}"].to_numpy() for name in ("mean", "ci_low", "ci_high")
    )
    significant = low > high[:, np.newaxis]  # False without intervals
    large = mean >= mean[:, np.newaxis] * (1 + smallest_rise)
    rises: np.ndarray = significant | large
    return rises
