"""Changes of the system: predicted by the network of queues, beside what was measured of them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.laws.limits import at_load
from analysis.laws.summary import cells
from analysis.models import System, measured_system, predict, what_if
from analysis.models.system import CPU_TIMES, MACHINE
from analysis.statistics.comparison import compare
from analysis.statistics.intervals import aggregate
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.tables.frames import Tables
from analysis.tables.tidy_cache import campaign_tables

MEASURES = {  # of a prediction to what it is called in the cells of runs
    "throughput_ops_per_s": "client_throughput_ops_per_s",
    "client_response_time_ms": "client_response_time_ms",
}
THROUGHPUT = MEASURES["throughput_ops_per_s"]
ELSEWHERE = ("3.2", "4.1", "6")  # sections of closed loops that change the system of section 3.1
_UNKNOWN = dict.fromkeys(("measured", "ci_low", "ci_high", "relative_error"), math.nan)
_LOAD = ["section", "workload", "num_middlewares", "num_servers", "workers", "num_clients"]
_DILATION_COLUMNS = [
    "time_dilation",
    "machine_saturation_ops_per_s",
    "throughput_ops_per_s",
    "client_response_time_ms",
    "bottleneck",
    "measured_ops_per_s",
]


def lab_changes(system: System) -> dict[str, dict[str, float]]:
    """List changes of a system through one middleware that the lab can make, as `what_if` has them.

    Those that no section has, and whose effect is not the same: more than before, less, nothing.
    """
    return {
        "server link twice as fast": {"server_link_rate": 2 * system.server_link_rate},
        "8 workers": {"workers": 8},
        "two middlewares": {"middlewares": 2},
    }


def beside_predictions(
    system: System,
    num_clients: int,
    changes: Mapping[str, Mapping[str, float]],
    measured: Mapping[str, Tables | None],
) -> pd.DataFrame:
    """Put the predictions of changes beside what was measured of each.

    Parameters
    ----------
    system, num_clients, changes
        As for `analysis.models.what_if`.
    measured
        Case, the system as it is among them, to its tables; None where nothing was measured.

    Returns
    -------
    pandas.DataFrame
        As `analysis.statistics.comparison.compare`, in op/s and ms, two rows for each case (the
        system as it is first): `case`, `measure`, `bottleneck` (predicted).
    """
    predicted = what_if(system, num_clients, changes).set_index("case")
    rows = []
    for case, tables in measured.items():
        found = None if tables is None else cells(tables.runs).iloc[[0]]
        for measure, column in MEASURES.items():
            expected = float(predicted.loc[case, measure])  # type: ignore[arg-type]
            compared = _compared(found, expected, column)
            compared.insert(0, "case", case)
            compared.insert(1, "measure", measure)
            compared.insert(2, "bottleneck", str(predicted.loc[case, "bottleneck"]))
            rows.append(compared)
    return pd.concat(rows, ignore_index=True)


def read_cases(folders: Mapping[str, Path | None], section: str) -> dict[str, Tables | None]:
    """Read the tables of cases that were measured, each a campaign of one section.

    Parameters
    ----------
    folders
        Case to the folder of its campaign; None where there is none.

    Returns
    -------
    dict
        Case to its tables, for `beside_predictions`; None where nothing was measured.
    """
    found: dict[str, Tables | None] = dict.fromkeys(folders)
    for case, folder in folders.items():
        if folder is not None:
            with contextlib.suppress(FileNotFoundError):
                found[case] = campaign_tables(folder, [section])
    return found


def predict_elsewhere(tables: Tables, runs: pd.DataFrame, base: str = "3.1") -> pd.DataFrame:
    """Predict the largest loads of other sections from the runs of one.

    Demands, links and delays are those of the system of section `base` with the most workers; only
    the numbers of clients, middlewares, workers and servers and the think time are the other
    section's, and a set goes to all servers. Nothing that was measured there reaches the model.

    Parameters
    ----------
    tables
        With the runs of `base`, and section 0 for the network's delay.
    runs
        `analysis.tables.frames.Tables.runs` with those of `ELSEWHERE` that were measured.

    Returns
    -------
    pandas.DataFrame
        One row per system: `section`, `workload`, `num_middlewares`, `num_servers`, `workers`,
        `num_clients`, `think_time_s` (where some clients think), then as
        `analysis.statistics.comparison.compare` of the throughput, in op/s; empty where none of
        `ELSEWHERE` was measured.
    """
    own = tables.runs[tables.runs["section"] == base]
    others = runs[runs["section"].isin(ELSEWHERE) & runs["workload"].isin(own["workload"])]
    others = others[others[THINK_TIME].notna()]
    largest = others.groupby("section")["num_clients"].transform("max")
    loaded = others[others["num_clients"] == largest]
    measured = aggregate(loaded, [*_LOAD, THINK_TIME], [THROUGHPUT])
    shortest = {name: own[name].min() for name in with_think_time(own, [])}
    most = int(own["workers"].max())
    bases = {
        workload: measured_system(
            tables, section=base, workload=workload, workers=most, factors=shortest
        )
        for workload in measured["workload"].unique()
    }
    predicted = []
    for row in measured.to_dict("records"):
        servers = int(row["num_servers"])
        changed = replace(
            bases[row["workload"]],
            middlewares=int(row["num_middlewares"]),
            workers=int(row["workers"]),
            servers=servers,
            think_time=float(row[THINK_TIME]),
            servers_per_request=servers if row["workload"] == "set" else 1,
        )
        last = predict(changed, int(row["num_clients"])).measures.iloc[-1]
        predicted.append(float(last["throughput_ops_per_s"]))
    compared = compare(measured, pd.Series(predicted, measured.index, dtype=float), THROUGHPUT)
    names = [*_LOAD, THINK_TIME] if measured[THINK_TIME].any() else _LOAD
    return pd.concat([measured[names], compared], axis="columns")


def dilation_table(
    tables: Tables, *, section: str, workload: str, dilations: Iterable[float]
) -> pd.DataFrame:
    r"""Predict what a lab would reach at other time dilations than that of its runs.

    A request takes the same CPU time of the clock whatever the dilation k, so that in undilated
    time it is

    .. math:: D(k) = D(k_0) \, k_0 / k

    while links and delays stay the same: the smaller k is, the slower the machine looks. Demands
    are told by all cells of the section but the one that is predicted, so that it judges them.

    Parameters
    ----------
    tables
        With the runs of the section, all at one dilation :math:`k_0`, and section 0 for the
        network's delay.
    section, workload
        Which system; of those with different workers that with the most, at its largest load.
    dilations
        k > 0; that of the runs is added.

    Returns
    -------
    pandas.DataFrame
        One row per dilation: `time_dilation`, `machine_saturation_ops_per_s` (its cores over the
        demand), `throughput_ops_per_s`, `client_response_time_ms` and `bottleneck`, predicted, and
        `measured_ops_per_s` at :math:`k_0`; all in undilated time. Empty where no machine is
        shared.

    Raises
    ------
    ValueError
        A dilation is not above 0, or there is no such run.
    """
    runs = tables.runs[(tables.runs["section"] == section) & (tables.runs["workload"] == workload)]
    runs = runs[runs["workers"] == runs["workers"].max()]
    loaded = at_load(runs)
    system = measured_system(
        tables,
        section=section,
        workload=workload,
        workers=int(runs["workers"].max()),
        factors={name: loaded[name].iloc[0] for name in with_think_time(runs, [])},
        demands_from=_others(tables.runs, section, workload, loaded),
        shared_machine=True,
    )
    measured_at = float(loaded["time_dilation"].max())
    factors = sorted({*map(float, dilations), measured_at})
    if not factors[0] > 0:
        raise ValueError(f"time dilations must be > 0, got {factors}")
    if not system.machine_time:
        return pd.DataFrame(columns=_DILATION_COLUMNS)
    changes = {
        f"k = {k:g}": {name: getattr(system, name) * measured_at / k for name in CPU_TIMES}
        for k in factors
    }
    table = what_if(system, int(loaded["num_clients"].max()), changes).iloc[1:]
    demand = system.demands()[MACHINE] * measured_at
    reached = float(loaded[THROUGHPUT].mean())
    table = table.assign(
        time_dilation=factors,
        machine_saturation_ops_per_s=[k / demand for k in factors],
        measured_ops_per_s=[reached if k == measured_at else math.nan for k in factors],
    )
    return table[_DILATION_COLUMNS].reset_index(drop=True)


def _others(
    runs: pd.DataFrame, section: str, workload: str, shown: pd.DataFrame
) -> pd.DataFrame | None:
    """Return the cells of a section beside one; None where there are no others."""
    own = runs[(runs["section"] == section) & (runs["workload"] == workload)]
    names = with_think_time(own, ["workers", "num_clients"])
    others = own.drop(index=shown.index)[names].drop_duplicates()
    return None if others.empty else others


def _compared(measured: pd.DataFrame | None, predicted: float, column: str) -> pd.DataFrame:
    if measured is None:
        return pd.DataFrame([{"predicted": predicted, **_UNKNOWN}])
    return compare(measured, pd.Series(predicted, measured.index), column)
