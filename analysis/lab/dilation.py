"""Two campaigns of different time dilation, cell by cell: where they agree and why not elsewhere.

Where they do not, what the run of the smaller k has measured itself must say why: the machine's
CPU had no time left, or its latency took more than 5 % of what links and delays let through
(`analysis.lab.emulated`). What neither explains is told as such.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.lab.emulated import Limit, can_reach_limit, emulated_limits, rates_together
from analysis.lab.round_trips import round_trips_of
from analysis.statistics.estimates import ratio_of
from analysis.tables.frames import Tables
from analysis.tables.tidied import campaign_tables

TOLERANCE = 0.05
LARGEST_UTILIZATION = 0.95  # of the machine's CPU: beyond it is the limit
AGREES, CPU, LATENCY, DIFFERS = "agrees", "machine's CPU", "machine's latency", "differs"
VERDICTS = (AGREES, CPU, LATENCY, DIFFERS)
_MEASURES = {
    "throughput": "client_throughput_ops_per_s",
    "response_time": "client_response_time_ms",
}


def compare_campaigns(
    one: Path | str, other: Path | str, sections: Iterable[str] = ("2.1", "3.1")
) -> pd.DataFrame:
    """Compare some sections of two campaigns; `compared_dilations` of their tidy tables."""
    names = list(sections)
    return compared_dilations(campaign_tables(one, names), campaign_tables(other, names))


def compared_dilations(one: Tables, other: Tables, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Compare the cells that two campaigns of different k have in common.

    Parameters
    ----------
    one, other
        Each of one k.
    tolerance
        Largest difference, as a fraction, of throughput and of response time that agree.

    Returns
    -------
    pandas.DataFrame
        One row per cell: the factors and `num_clients`; `time_dilation_low`, `_high`;
        `throughput_low_ops_per_s`, `_high_ops_per_s`, `throughput_ratio` (high over low, undilated)
        with `_ci_low` and `_ci_high` (95 %, missing with one repetition), the same of
        `response_time` (ms); `limit` (name), `limit_ops_per_s` and `loss` (0..1, of it, at the
        low k); `machine_utilization` (0..1, at the low k); `verdict` (one of `VERDICTS`).

    Raises
    ------
    ValueError
        A campaign has several k, both have the same, or they have no cell in common.
    """
    low, high = sorted((one, other), key=_dilation)
    if _dilation(low) == _dilation(high):
        raise ValueError(f"both campaigns have time dilation {_dilation(low):g}: nothing differs")
    by = _cell_columns(low.runs)
    cells = _cells(low.runs, by).merge(_cells(high.runs, by), on=by, suffixes=("_low", "_high"))
    if cells.empty:
        raise ValueError("the campaigns have no cell in common: the same sections are due")
    judged = [_judge(cell, by, low, tolerance) for _, cell in cells.iterrows()]
    cells = pd.concat([cells[by], pd.DataFrame(judged, index=cells.index)], axis="columns")
    cells.insert(len(by), "time_dilation_low", _dilation(low))
    cells.insert(len(by) + 1, "time_dilation_high", _dilation(high))
    return cells.sort_values(by, ignore_index=True)


def _dilation(tables: Tables) -> float:
    factors = tables.runs["time_dilation"].unique()
    if len(factors) != 1:
        raise ValueError(
            f"one time dilation a campaign is due, got {sorted(factors)}: name sections"
        )
    return float(factors[0])


def _cell_columns(runs: pd.DataFrame) -> list[str]:
    """Section and factors, which stand before the repetition, and the number of clients."""
    return [*runs.columns[: runs.columns.get_loc("repetition")], "num_clients"]


def _cells(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    groups = runs.groupby(by, dropna=False)
    return groups[list(_MEASURES.values())].agg(list).reset_index()


def _judge(cell: pd.Series, by: list[str], low: Tables, tolerance: float) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, column in _MEASURES.items():
        unit = column.removeprefix(f"client_{name}_")
        before, after = cell[f"{column}_low"], cell[f"{column}_high"]
        ratio = ratio_of(after, before)
        ci_low, ci_high = ratio.interval()
        row |= {
            f"{name}_low_{unit}": float(np.mean(before)),
            f"{name}_high_{unit}": float(np.mean(after)),
            f"{name}_ratio": ratio.value,
            f"{name}_ratio_ci_low": ci_low,
            f"{name}_ratio_ci_high": ci_high,
        }
    throughput = row["throughput_low_ops_per_s"]
    limit = _limit(low, cell, by)
    row |= {
        "limit": limit.name if limit else "none known",
        "limit_ops_per_s": limit.throughput if limit else np.nan,
        "loss": limit.loss(throughput) if limit else np.nan,
        "machine_utilization": _machine_utilization(_of_cell(low.hosts, cell, by)),
    }
    return {**row, "verdict": _verdict(row, limit, tolerance)}


def _verdict(row: dict[str, Any], limit: Limit | None, tolerance: float) -> str:
    """Tell by the numbers of a cell whether the campaigns agree in it, or why not."""
    ratio, slower = row["throughput_ratio"], row["response_time_ratio"]
    if abs(ratio - 1) <= tolerance and abs(slower - 1) <= tolerance:
        return AGREES
    if row["machine_utilization"] > LARGEST_UTILIZATION:
        return CPU
    loss = limit.loss(row["throughput_low_ops_per_s"]) if limit else 0
    if loss > tolerance and 1 < ratio <= (1 + tolerance) / (1 - loss):
        return LATENCY
    return DIFFERS


def _of_cell(frame: pd.DataFrame, cell: pd.Series, by: list[str]) -> pd.DataFrame:
    """Rows of a table that belong to a cell; a factor that is missing is equal to none."""
    known = [name for name in by if name in frame and not pd.isna(cell[name])]
    return frame[(frame[known] == cell[known]).all(axis="columns")]


def _machine_utilization(hosts: pd.DataFrame) -> float:
    """Return how busy the one machine was, by the host that saw it busiest; NaN if not shared."""
    shared = hosts[hosts["shares_machine"].astype(bool)]
    return float(shared.groupby("host")["cpu_percent"].mean().max()) / 100


def _limit(tables: Tables, cell: pd.Series, by: list[str]) -> Limit | None:
    """Return what lets the least through of all that is emulated, of a closed loop."""
    run = _of_cell(tables.runs, cell, by).iloc[0]
    if run.get("arrival_rate_per_s", np.nan) > 0:
        return None
    hosts = _of_cell(tables.hosts, cell, by)
    hosts = hosts[hosts["repetition"] == run["repetition"]]
    settings = {str(name): value for name, value in run.items()}
    if not can_reach_limit(settings):
        return None
    rates = {str(role): list(each) for role, each in hosts.groupby("role")["rate_mbit_per_s"]}
    limits = emulated_limits(
        settings,
        int(run["num_clients"]),
        rates_together(rates, settings),
        round_trips_of(_of_cell(tables.pings, cell, by)),
        think_time_s=float(run["think_time_s"]),
        set_share=_set_share(_of_cell(tables.request_types, cell, by)),
    )
    return limits[0] if limits else None


def _set_share(kinds: pd.DataFrame) -> float | None:
    clients = kinds[kinds["side"] == "client"]
    rates = clients.groupby("request_type")["throughput_ops_per_s"].sum()
    return float(rates.get("set", 0.0) / rates.sum()) if rates.sum() else None
