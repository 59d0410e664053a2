"""The stations of the open-loop section: one server's link, and the workers of a middleware."""

from collections.abc import Mapping

import pandas as pd

from analysis.histograms import merge_histograms
from analysis.open_loop import compare_open, scv
from analysis.queueing.measured import measured_system
from analysis.queueing.system import System
from analysis.tables import Tables

SECTION = "7"
FORMATS = {
    "measured_rate_ops_per_s": ",.0f",
    "utilization": ".2f",
    "predicted": ".3g",
    "measured": ".3g",
    "relative_error": "+.1%",
}
_COLUMNS = [
    "model",
    "arrival_rate_per_s",
    "measured_rate_ops_per_s",
    "utilization",
    "predicted",
    "measured",
    "relative_error",
    "verdict",
    "reason",
]


def compare_link(tables: Tables, cells: pd.DataFrame) -> pd.DataFrame:
    """Compare M/M/1 and M/D/1 with gets that one server's link limits (`compare_open`).

    The service time is that of the reply's bytes on the link; elsewhere a request spends a round
    trip of the idle network, its own bytes' time on the client's link, and the server's processor.

    Parameters
    ----------
    tables
        With the runs of section 7, and of section 0 for the network's delay.
    cells
        From `analysis.summary.cells` of section 7.

    Returns
    -------
    pandas.DataFrame
        As `analysis.open_loop.compare_open`; empty where no run without middleware was accepted.
    """
    own = _chosen(tables, cells, num_middlewares=0)
    if own.empty:
        return pd.DataFrame(columns=_COLUMNS)
    system = measured_system(
        tables, section=SECTION, workload="get", factors={"num_middlewares": 0}
    )
    link_s = system.from_server_bytes * 8 / system.server_link_rate
    other_s = _outside_s(system) + system.server_time
    return compare_open(own, service_time=link_s, other_time=other_s, service_scv=0.0)


def compare_workers(tables: Tables, cells: pd.DataFrame, *, workers: int) -> pd.DataFrame:
    """Compare M/M/m and its kin with sets through one middleware of `workers` workers.

    The service time of each rate, and its variation, are those that the middleware measured;
    elsewhere a request spends a round trip between client and middleware and the net thread's time.

    Parameters
    ----------
    tables, cells
        As for `compare_link`.

    Returns
    -------
    pandas.DataFrame
        As `analysis.open_loop.compare_open`; empty where no such run was accepted.
    """
    own = _chosen(tables, cells, num_middlewares=1, workers=workers)
    if own.empty:
        return pd.DataFrame(columns=_COLUMNS)
    factors = {"num_middlewares": 1, "workers": workers}
    system = measured_system(tables, section=SECTION, workload="set", factors=factors)
    samples = tables.histograms
    samples = samples[
        (samples["side"] == "middleware")
        & (samples["time"] == "service_time")
        & (samples["workers"] == workers)
    ]
    return compare_open(
        own,
        service_time=own["middleware_service_time_ms_mean"] / 1000,
        num_servers=workers,
        other_time=_outside_s(system) + system.net_thread_time,
        service_scv=scv(merge_histograms([samples[["upper_edge_ms", "count"]]])),
    )


def _chosen(tables: Tables, cells: pd.DataFrame, **levels: int) -> pd.DataFrame:
    """Cells with some levels; one that no run varies stands only in the runs."""
    for name, level in levels.items():
        known = cells[name] if name in cells else tables.runs[name].iloc[0]
        cells = cells.assign(**{name: known})
        cells = cells[cells[name] == level]
    return cells


def _outside_s(system: System) -> float:
    """From the client and back to it, where nobody waits."""
    return 2 * system.network_delay + system.request_bytes * 8 / system.client_link_rate


def as_points(*compared: pd.DataFrame) -> pd.DataFrame:
    """Turn comparisons into what `analysis.plots.plot_predicted_against_measured` draws.

    Predictions where there is no steady state are left out.
    """
    rows = pd.concat(compared, ignore_index=True).dropna(subset="predicted")
    measure = "client_response_time_ms"
    rows[f"{measure}_predicted"] = rows["predicted"].astype(float)
    rows[f"{measure}_mean"] = rows["measured"].astype(float)
    rows[f"{measure}_ci_low"] = rows[f"{measure}_ci_high"] = float("nan")
    return rows


def reasons(compared: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Put the reasons of several comparisons below each other.

    Parameters
    ----------
    compared
        Station to its comparison.

    Returns
    -------
    pandas.DataFrame
        `station`, `model`, `arrival_rate_per_s`, `reason`.
    """
    parts = [frame.assign(station=station) for station, frame in compared.items()]
    return pd.concat(parts, ignore_index=True)[["station", "model", "arrival_rate_per_s", "reason"]]
