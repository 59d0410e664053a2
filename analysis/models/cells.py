"""The network of queues and the simulation for every cell of a section, and what was measured."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.measured import measured_system
from analysis.models.prediction import predict
from analysis.models.simulated.simulation import SimulationOptions, simulate
from analysis.models.system import MACHINE, System
from analysis.statistics.comparison import compare
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

NETWORK, SIMULATION = "network of queues", "simulation"
BUCKETS = "simulation, token buckets"
THROUGHPUT, RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"
MEASURES = (THROUGHPUT, RESPONSE_TIME)
SYSTEM = ("workload", "workers")
RESOURCES = ("client link", "net thread", "middleware link", "server", "server link", MACHINE)


def predict_cells(
    tables: Tables,
    cells: pd.DataFrame,
    section: str,
    *,
    simulated_requests: int = 0,
    bursts: Mapping[str, float] | None = None,
    between: int = 0,
) -> pd.DataFrame:
    """Predict every measured load of a section with the network of queues and by simulation.

    All are built from the same demands (`analysis.models.measured.measured_system`): nothing is
    fitted to the throughput that is predicted. Each model has what the one before it has, and more:
    the simulation messages of one size and workers as they are, the one with token buckets links
    that let a burst pass at once.

    Parameters
    ----------
    tables
        With the runs of the section, and section 0 for the network's delay.
    cells
        From `analysis.sections.summary.cells`, whose loads are predicted.
    section
        Whose systems, each a workload and a number of workers, are predicted.
    simulated_requests
        About how many requests of each cell are simulated; 0 leaves the simulation out.
    bursts
        Bytes that the token buckets of the links of each role hold, such as ``{"server": 16384}``;
        where none is known the simulation with buckets is left out.
    between
        How many more loads are predicted between one that was measured and the next, for lines.

    Returns
    -------
    pandas.DataFrame
        `workload`, `workers`, `num_clients`, `model`, `client_throughput_ops_per_s`,
        `client_response_time_ms`, `bottleneck` (as the network of queues has it; ``none`` below
        saturation).
    """
    rows = []
    filled = {f"{role}_link_burst": size for role, size in (bursts or {}).items() if size}
    own = cells[cells["section"] == section]
    for (workload, workers), system_cells in own.groupby(list(SYSTEM)):
        system = measured_system(
            tables, section=section, workload=str(workload), workers=int(str(workers))
        )
        simulated = {SIMULATION: system} if simulated_requests else {}
        if simulated and filled:
            simulated[BUCKETS] = replace(system, **filled)  # type: ignore[arg-type]
        loads = _filled(sorted(system_cells["num_clients"].unique()), between)
        table = predict(system, loads[-1]).measures.set_index("num_clients")
        table["bottleneck"] = table["bottleneck"].where(table["saturated"], "none")
        for load, network in table.loc[loads].to_dict("index").items():
            cell = {"workload": workload, "workers": workers, "num_clients": load}
            cell["bottleneck"] = network["bottleneck"]
            rows.append({**cell, "model": NETWORK, **_measures(network)})
            for model, changed in simulated.items():
                means = _simulated(changed, int(str(load)), network, simulated_requests)
                rows.append({**cell, "model": model, **_measures(means)})
    return pd.DataFrame(rows)


def _filled(loads: Sequence[int], between: int) -> list[int]:
    """Return loads with others put between them, at equal distances on a logarithmic axis."""
    places = np.arange((len(loads) - 1) * (between + 1) + 1) / (between + 1)
    logs = np.interp(places, np.arange(len(loads)), np.log(loads))
    return sorted({round(load) for load in np.exp(logs)})


def _simulated(
    system: System, load: int, expected: Mapping[Hashable, Any], requests: int
) -> dict[Hashable, Any]:
    """Simulate a cell for as long as it takes to complete some requests."""
    duration_s = requests / expected["throughput_ops_per_s"]
    warm_up_s = max(duration_s / 5, 5 * expected[RESPONSE_TIME] / MS_PER_S)
    options = SimulationOptions(warm_up_s=warm_up_s, duration_s=duration_s, batches=10)
    return simulate(system, num_clients=load, options=options).measures["mean"].to_dict()


def _measures(found: Mapping[Hashable, Any]) -> dict[str, float]:
    return {
        THROUGHPUT: float(found["throughput_ops_per_s"]),
        RESPONSE_TIME: float(found[RESPONSE_TIME]),
    }


def compare_cells(cells: pd.DataFrame, predictions: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Put the predictions of one measure beside the cells.

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
        `analysis.statistics.comparison.compare`.
    """
    key = [*SYSTEM, "num_clients"]
    joined = predictions.merge(cells, on=key)
    compared = compare(joined, joined[measure], measure)
    return pd.concat([joined[[*key, "model", "bottleneck"]], compared], axis="columns")


def demand_table(tables: Tables) -> pd.DataFrame:
    """Show the demands that the models of sections are built from, and those of a shared machine.

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
            shared_machine=True,
        )
        demands = system.demands()
        columns[f"{section} {workload}"] = demands.where(demands > 0) * MS_PER_S
    table = pd.DataFrame(columns)
    order = [name for name in RESOURCES if name in table.index]
    return table.loc[order].rename_axis("resource").reset_index()
