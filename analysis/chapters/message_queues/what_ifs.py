"""What a change of one thing brings a message queue: predicted, and measured where it was."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.chapters.message_queues.demands import Demands, system_of
from analysis.chapters.message_queues.networks import BUSIEST, CELL, THROUGHPUT, records
from analysis.chapters.message_queues.runs import MOST
from analysis.models.prediction import predict
from records.text.words import counted

SPEEDS = (2, 4, 8)  # of the database, times as fast: those that Su asks for
SYSTEM = (*CELL[1:6], "think_time_s")  # all of a cell but section and load


def what_ifs(measured: pd.DataFrame, demands: Demands) -> pd.DataFrame:
    """Put what faster or more databases and fewer threads bring beside what was measured of them.

    The system as it is is that of most cells of section q4, at the largest load at which something
    else was measured too, otherwise at its largest. Databases that are 2, 4 and 8 times as fast are
    predicted whether measured or not.

    Parameters
    ----------
    measured
        From `queue_cells`.

    Returns
    -------
    pandas.DataFrame
        `case`, `num_clients`, `predicted_ops_per_s` and `predicted_gain` (over the system as it is)
        of the network of queues, `bottleneck`, `measured_ops_per_s`, `measured_gain`,
        `relative_error` (of the throughput), `machine` (how busy the processors were that hosts
        share, 0..1: full, they are the limit, which no model here knows); what was not measured is
        missing. Empty without q4.
    """
    columns = ["case", "num_clients", "predicted_ops_per_s", "predicted_gain", "bottleneck"]
    columns += ["measured_ops_per_s", "measured_gain", "relative_error", "machine"]
    own = measured[measured["section"] == MOST]
    if own.empty or not demands.known:
        return pd.DataFrame(columns=columns)
    usual = _usual(own)
    as_it_is = is_usual(own, own)
    others = own[~as_it_is & _same(own["think_time_s"], usual["think_time_s"])]
    shared = set(own.loc[as_it_is, "num_clients"]) & set(others["num_clients"])
    load = max(shared or set(own.loc[as_it_is, "num_clients"]))
    base = own[as_it_is & (own["num_clients"] == load)].iloc[0]
    cases: dict[str, dict[str, Any]] = {"as it is": {}}
    for other in records(others[others["num_clients"] == load]):
        changed = {n: other[n] for n in SYSTEM if not _same(pd.Series([other[n]]), usual[n]).all()}
        cases[_words(changed, usual)] = {"cell": other}
    cases |= {f"database {speed} times as fast": {"speed": speed} for speed in SPEEDS}
    rows = [_case_row(name, base, case, demands) for name, case in cases.items()]
    table = pd.DataFrame(rows)
    for kind in ("predicted", "measured"):
        table[f"{kind}_gain"] = table[f"{kind}_ops_per_s"] / table[f"{kind}_ops_per_s"].iloc[0] - 1
    table["relative_error"] = table["predicted_ops_per_s"] / table["measured_ops_per_s"] - 1
    return table[columns]


def is_usual(cells: pd.DataFrame, among: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which cells are of the system, `SYSTEM`, that most cells of `among` have."""
    usual = _usual(among)
    same = [_same(cells[name], usual[name]) for name in SYSTEM]
    return np.asarray(np.logical_and.reduce(same), dtype=bool)


def _usual(cells: pd.DataFrame) -> dict[str, Any]:
    counts = cells.groupby(list(SYSTEM), dropna=False).size()
    most = counts.index[int(np.argmax(counts.to_numpy()))]
    return dict(zip(SYSTEM, most, strict=True))


def _case_row(
    name: str, base: pd.Series, case: Mapping[str, Any], demands: Demands
) -> dict[str, Any]:
    cell: Mapping[str, Any] = case.get("cell", base)
    system = system_of({**dict(cell), "database_cpus_each": cell["database_cpus"]}, demands)
    if speed := case.get("speed"):
        system = replace(system, server_time=system.server_time / speed)
    last = predict(system, int(base["num_clients"])).measures.iloc[-1]
    limit = str(last["bottleneck"])
    return {
        "case": name,
        "num_clients": int(base["num_clients"]),
        "predicted_ops_per_s": float(last["throughput_ops_per_s"]),
        "bottleneck": BUSIEST.get(limit, limit),
        "measured_ops_per_s": math.nan if speed else float(cell[f"{THROUGHPUT}_mean"]),
        "machine": math.nan if speed else float(cell["machine_utilization_mean"]),
    }


def _same(values: pd.Series, level: Any) -> NDArray[np.bool_]:
    """Tell which values equal a level; missing is equal to missing."""
    return np.asarray(values.isna() if pd.isna(level) else values == level)


def _words(changed: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """Say what a case changes: ``2 databases``, ``database of 2 CPUs in place of 1``."""
    words = []
    for name, level in changed.items():
        if name == "database_cpus":
            words.append(f"database of {level:g} CPUs in place of {usual[name]:g}")
        else:
            noun = {"num_databases": "database", "net_threads": "front-end thread"}
            noun |= {"num_middlewares": "middleware", "workers": "worker"}
            words.append(counted(float(level), noun.get(name, name)))
    return ", ".join(words)
