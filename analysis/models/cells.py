"""The network of queues and the simulation for every cell of a section, and what was measured."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.measured import measured_system
from analysis.models.prediction import predict
from analysis.models.simulation import SimulationOptions, simulate
from analysis.models.system import System
from analysis.statistics.comparison import TOLERANCE, compare
from analysis.tables.frames import Tables

NETWORK, SIMULATION = "network of queues", "simulation"
MEASURES = ("throughput_ops_per_s", "client_response_time_ms")


def predict_cells(
    tables: Tables,
    cells: pd.DataFrame,
    section: str,
    *,
    by: Sequence[str] = ("workload", "workers"),
    simulated_requests: int = 0,
    known: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Predict every measured load of a section with the network of queues and by simulation.

    Both are built from the same demands (`analysis.models.measured.measured_system`): nothing is
    fitted to the throughput that is predicted.

    Parameters
    ----------
    tables
        With the runs of the section, and section 0 for the network's delay.
    cells
        From `analysis.sections.summary.cells`, whose loads are predicted.
    section, by
        Which runs make a system: `workload` and other factors.
    simulated_requests
        About how many requests of each cell are simulated; 0 leaves the simulation out.
    known
        Fields of `System` that the tables do not tell, such as what links' token buckets hold.

    Returns
    -------
    pandas.DataFrame
        `by`, `num_clients`, `model`, `throughput_ops_per_s`, `client_response_time_ms`,
        `bottleneck` (as the network of queues has it; ``none`` below saturation).
    """
    rows = []
    own = cells[cells["section"] == section]
    for levels, system_cells in own.groupby(list(by)):
        key = dict(zip(by, levels, strict=True))
        others = {name: level for name, level in key.items() if name != "workload"}
        system = measured_system(
            tables, section=section, workload=str(key["workload"]), factors=others, **(known or {})
        )
        loads = sorted(int(load) for load in system_cells["num_clients"].unique())
        table = predict(system, loads[-1]).measures.set_index("num_clients")
        table["bottleneck"] = table["bottleneck"].where(table["saturated"], "none")
        for load in loads:
            network: dict[Hashable, Any] = table.loc[load, [*MEASURES, "bottleneck"]].to_dict()
            cell = {**key, "num_clients": load, "bottleneck": network["bottleneck"]}
            rows.append({**cell, "model": NETWORK, **{str(k): v for k, v in network.items()}})
            if simulated_requests:
                means = _simulated(system, load, network, simulated_requests)
                rows.append({**cell, "model": SIMULATION, **means})
    return pd.DataFrame(rows)


def _simulated(
    system: System, load: int, expected: Mapping[Hashable, Any], requests: int
) -> dict[str, float]:
    """Simulate a cell for as long as it takes to complete some requests."""
    duration_s = requests / float(expected["throughput_ops_per_s"])
    warm_up_s = max(duration_s / 5, 5 * float(expected["client_response_time_ms"]) / 1000)
    options = SimulationOptions(warm_up_s=warm_up_s, duration_s=duration_s, batches=10)
    means = simulate(system, num_clients=load, options=options).measures["mean"]
    return {name: float(means[name]) for name in MEASURES}


def compare_cells(
    cells: pd.DataFrame, predictions: pd.DataFrame, measure: str, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    """Put the predictions of one measure beside the cells.

    Parameters
    ----------
    predictions
        From `predict_cells`.
    measure
        ``throughput_ops_per_s`` or ``client_response_time_ms``.

    Returns
    -------
    pandas.DataFrame
        The key of each cell, `model`, `bottleneck`, then as
        `analysis.statistics.comparison.compare`.
    """
    key = [name for name in predictions if name not in (*MEASURES, "model", "bottleneck")]
    column = measure if measure.startswith("client_") else f"client_{measure}"
    joined = predictions.merge(cells, on=key)
    compared = compare(joined, joined[measure].astype(np.float64), column, tolerance)
    return pd.concat([joined[[*key, "model", "bottleneck"]], compared], axis="columns")


def for_plot(compared: pd.DataFrame, cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Add what `plot_predicted_against_measured` wants: ``<measure>_predicted``."""
    column = measure if measure.startswith("client_") else f"client_{measure}"
    key = list(compared.columns[: list(compared).index("model")])
    bounds = cells[[*key, *(f"{column}_{part}" for part in ("mean", "ci_low", "ci_high"))]]
    return compared.merge(bounds, on=key).assign(**{f"{column}_predicted": compared["predicted"]})


def demand_table(
    tables: Tables, section: str, workloads: Sequence[str] = ("set", "get"), **factors: Any
) -> pd.DataFrame:
    """Show the demands that the models of a section are built from, and that of a shared machine.

    Parameters
    ----------
    factors
        Levels that choose the runs, such as ``workers=64``.

    Returns
    -------
    pandas.DataFrame
        `workload`, `resource`, `service_demand_ms`, `saturation_ops_per_s`; both missing where a
        demand is not known.
    """
    known = set(tables.runs.loc[tables.runs["section"] == section, "workload"])
    parts = []
    for workload in workloads:
        if workload in known:
            system = measured_system(
                tables, section=section, workload=workload, factors=factors, shared_machine=True
            )
            demands = system.demands().where(lambda seconds: seconds > 0)
            parts.append(
                pd.DataFrame(
                    {
                        "workload": workload,
                        "resource": demands.index,
                        "service_demand_ms": demands.to_numpy() * 1000,
                        "saturation_ops_per_s": 1 / demands.to_numpy(),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)
