"""Usable capacity: the load beyond which a system only answers more slowly."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

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
    significantly while response time does. A rise from one load to a higher one is significant
    when their 95 % confidence intervals do not overlap; without intervals (one repetition), when
    it exceeds the fraction `smallest_rise`.

    Parameters
    ----------
    cells
        From `analysis.stats.aggregate`: columns `by`, `num_clients`, and `_mean`, `_sd`,
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
        `found_by`, in words.
    """
    if smallest_rise <= 0:
        raise ValueError(f"smallest_rise must be > 0, got {smallest_rise}")
    rows = []
    for _, system in cells.groupby(list(by), dropna=False):
        loads = system.sort_values("num_clients").reset_index(drop=True)
        index = _first_without_gain(loads, throughput, response_time, smallest_rise)
        has_interval = loads[f"{throughput}_ci_low"].notna().all()
        criterion = "overlap of 95 % CIs" if has_interval else f"rise below {smallest_rise:.0%}"
        saturated = index < len(loads) - 1
        rows.append(
            {
                **loads.loc[index].to_dict(),
                "saturated": saturated,
                "found_by": criterion if saturated else "largest load measured",
            }
        )
    return pd.DataFrame(rows)


def _first_without_gain(
    loads: pd.DataFrame, throughput: str, response_time: str, smallest_rise: float
) -> int:
    """Index of the first load above which none has more throughput, but all take longer.

    The largest load always qualifies: there is none above it.
    """
    return next(
        index
        for index in range(len(loads))
        if not _rises(loads, index, throughput, smallest_rise).any()
        and _rises(loads, index, response_time, smallest_rise).all()
    )


def _rises(loads: pd.DataFrame, index: int, column: str, smallest_rise: float) -> np.ndarray:
    """For each load above that at `index`, whether `column` is significantly higher there."""
    here, above = loads.loc[index], loads.loc[index + 1 :]
    by_interval = above[f"{column}_ci_low"] > here[f"{column}_ci_high"]
    by_fraction = above[f"{column}_mean"] > here[f"{column}_mean"] * (1 + smallest_rise)
    has_interval = above[f"{column}_ci_low"].notna() & pd.notna(here[f"{column}_ci_high"])
    rises: np.ndarray = by_interval.where(has_interval, by_fraction).to_numpy()
    return rises
