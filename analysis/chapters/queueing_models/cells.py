"""The network of queues and the simulation for every cell of a section, and what was measured."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.calibration_split import JUDGED, calibration_cells, draw_calibration_split
from analysis.models.measured import measured_system
from analysis.models.prediction import predict
from analysis.models.simulated.replications import Case, replicate
from analysis.models.simulated.simulation import SimulationOptions
from analysis.models.system import MACHINE, System
from analysis.statistics.comparison import compare
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

NETWORK, SIMULATION = "network of queues", "simulation"
BUCKETS = "simulation, token buckets"
THROUGHPUT, RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"
MEASURES = (THROUGHPUT, RESPONSE_TIME)
SYSTEM = ("workload", "workers")
_FOUND_AS = {THROUGHPUT: "throughput_ops_per_s", RESPONSE_TIME: RESPONSE_TIME}
_BOUNDS = ("ci_low", "ci_high")
_PREDICTED = [f"predicted_{bound}" for bound in _BOUNDS]
_COLUMNS = ["num_clients", "model"]
_COLUMNS += [f"{measure}{of}" for measure in MEASURES for of in ("", "_ci_low", "_ci_high")]
_COLUMNS += ["replications", "bottleneck"]
RESOURCES = ("client link", "net thread", "middleware link", "server", "server link", MACHINE)


def predict_cells(
    tables: Tables,
    cells: pd.DataFrame,
    section: str,
    *,
    simulated_requests: int = 0,
    bursts: Mapping[str, float] | None = None,
    between: int = 0,
    processes: int | None = None,
) -> pd.DataFrame:
    """Predict every load of a section with the network of queues and by simulation.

    All are built from the same demands, told by one half of the cells
    (`analysis.models.calibration_split`): nothing is fitted to the throughput that is predicted,
    and the other half judges. Each model has what the one before it has, and more: the simulation
    messages of one size and workers as they are, the one with token buckets links that let a burst
    pass at once. Simulations are replicated until they are known to 1 %
    (`analysis.models.simulated.replications`).

    Parameters
    ----------
    tables
        With the runs of the section, and section 0 for the network's delay.
    cells
        From `analysis.laws.summary.cells`, whose loads are predicted.
    section
        Whose systems, each a workload, a number of workers and a think time, are predicted.
    simulated_requests
        About how many requests of each cell a replication has; 0 leaves the simulation out.
    bursts
        Bytes that the token buckets of the links of each role hold, such as ``{"server": 16384}``;
        where none is known the simulation with buckets is left out.
    between
        How many more loads are predicted between one that was measured and the next, for lines.
    processes
        As for `analysis.models.simulated.replications.replicate`.

    Returns
    -------
    pandas.DataFrame
        `workload`, `workers`, `think_time_s` where it varies, `num_clients`, `half` (missing for
        loads between), `model`,
        `client_throughput_ops_per_s` and `client_response_time_ms`, each with its 95 % interval
        `_ci_low` and `_ci_high`, `replications` (all three missing where nothing is random), and
        `bottleneck` (as the network of queues has it; ``none`` below saturation).
    """
    rows: list[dict[str, Any]] = []
    cases: dict[int, Case] = {}  # by the place of their rows
    filled = {f"{role}_link_burst": size for role, size in (bursts or {}).items() if size}
    own = cells[cells["section"] == section]
    names = with_think_time(own, SYSTEM)
    for key, system_cells in own.groupby(names):
        levels: dict[str, Any] = dict(zip(names, key, strict=True))
        workload = str(levels["workload"])
        system = measured_system(
            tables,
            section=section,
            workload=workload,
            workers=int(levels["workers"]),
            factors={name: levels[name] for name in names if name not in SYSTEM},
            demands_from=calibration_cells(tables.runs, section, workload),
        )
        simulated = {SIMULATION: system} if simulated_requests else {}
        if simulated and filled:
            simulated[BUCKETS] = replace(system, **filled)  # type: ignore[arg-type]
        loads = _filled(sorted(system_cells["num_clients"].unique()), between)
        table = predict(system, loads[-1]).measures.set_index("num_clients")
        table["bottleneck"] = table["bottleneck"].where(table["saturated"], "none")
        for load, network in table.loc[loads].to_dict("index").items():
            cell = {**levels, "num_clients": load, "bottleneck": network["bottleneck"]}
            rows.append({**cell, "model": NETWORK, **_measures(network)})
            for model, changed in simulated.items():
                cases[len(rows)] = _case(changed, int(str(load)), network, simulated_requests)
                rows.append({**cell, "model": model})
    replicated = replicate(list(cases.values()), processes=processes)
    for place, found in zip(cases, replicated, strict=True):
        rows[place] |= {**_with_intervals(found.measures), "replications": found.replications}
    drawn = draw_calibration_split(tables.runs[tables.runs["section"] == section])
    columns = [*names, *_COLUMNS]
    return pd.DataFrame(rows, columns=columns).merge(drawn.drop(columns="section"), how="left")


def _filled(loads: Sequence[int], between: int) -> list[int]:
    """Return loads with others put between them, at equal distances on a logarithmic axis."""
    places = np.arange((len(loads) - 1) * (between + 1) + 1) / (between + 1)
    logs = np.interp(places, np.arange(len(loads)), np.log(loads))
    return sorted({round(load) for load in np.exp(logs)})


def _case(system: System, load: int, expected: Mapping[Hashable, Any], requests: int) -> Case:
    """Simulate a cell for some requests, or five response times of each client if those are more.

    What is simulated before all clients have had five response times is left out.
    """
    five_times_s = 5 * expected[RESPONSE_TIME] / MS_PER_S
    duration_s = max(requests / expected["throughput_ops_per_s"], five_times_s)
    options = SimulationOptions(warm_up_s=five_times_s, duration_s=duration_s, batches=2)
    return Case(system=system, num_clients=load, options=options)


def _measures(found: Mapping[Hashable, Any]) -> dict[str, float]:
    return {column: float(found[name]) for column, name in _FOUND_AS.items()}


def _with_intervals(found: pd.DataFrame) -> dict[str, float]:
    bounds = {
        f"{column}_{bound}": float(found[bound][name])
        for column, name in _FOUND_AS.items()
        for bound in _BOUNDS
    }
    return _measures(found["mean"].to_dict()) | bounds


def widest(predictions: pd.DataFrame) -> float:
    """Return the largest half width of a simulated prediction's interval, over the prediction."""
    widths = [
        (predictions[f"{measure}_ci_high"] - predictions[measure]) / predictions[measure]
        for measure in MEASURES
    ]
    return float(pd.concat(widths).max())


def compare_cells(cells: pd.DataFrame, predictions: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Put the predictions of one measure beside the cells of the half that judges.

    Parameters
    ----------
    predictions
        From `predict_cells`.
    measure
        `THROUGHPUT` or `RESPONSE_TIME`.

    Returns
    -------
    pandas.DataFrame
        The key of each cell, `model`, `bottleneck`, then as
        `analysis.statistics.comparison.compare`, with the interval of the prediction as
        `predicted_ci_low`, `predicted_ci_high`.
    """
    key = [name for name in (*SYSTEM, THINK_TIME, "num_clients") if name in predictions]
    judged = predictions[predictions["half"] == JUDGED]
    known = judged.rename(columns={f"{measure}_{name}": f"predicted_{name}" for name in _BOUNDS})
    joined = known[[*key, "model", "bottleneck", measure, *_PREDICTED]].merge(cells, on=key)
    compared = compare(joined, joined[measure], measure)
    leading = joined[[*key, "model", "bottleneck"]]
    return pd.concat([leading, compared, joined[_PREDICTED]], axis="columns")


def demand_table(tables: Tables) -> pd.DataFrame:
    """Show the demands that the models of sections are built from, and those of a shared machine.

    One half of the cells calibrates them (`analysis.models.calibration_split`).

    Parameters
    ----------
    tables
        Of sections with middlewares, which vary the workers alone: their largest number stands for
        all.

    Returns
    -------
    pandas.DataFrame
        `resource`, and for each section and workload a column of ms, such as ``3.1 set``; missing
        where a system has no such resource, or its demand is not known.
    """
    columns = {}
    for (section, workload), own in tables.runs.groupby(["section", "workload"]):
        system = measured_system(
            tables,
            section=str(section),
            workload=str(workload),
            workers=int(own["workers"].max()),
            factors={name: own[name].min() for name in with_think_time(own, [])},
            demands_from=calibration_cells(tables.runs, str(section), str(workload)),
            shared_machine=True,
        )
        demands = system.demands()
        columns[f"{section} {workload}"] = demands.where(demands > 0) * MS_PER_S
    table = pd.DataFrame(columns)
    order = [name for name in RESOURCES if name in table.index]
    return table.loc[order].rename_axis("resource").reset_index()
