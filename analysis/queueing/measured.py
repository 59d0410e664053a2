"""A `System` from what a campaign measured."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.queueing.system import System, message_bytes
from analysis.tables import Tables
from analysis.units import BITS_PER_MBIT, ms_to_s

_LINKS = {
    "clients": "client_link_rate",
    "middlewares": "middleware_link_rate",
    "servers": "server_link_rate",
}


def measured_system(
    tables: Tables, *, section: str, workload: str, workers: int | None = None, **known: Any
) -> System:
    r"""Build the system that a section measured, with demands by the utilization law.

    .. math:: D_{net} = M \, U_{net} / X

    with the net threads' mean utilization over all loads that kept them half busy or more (at
    least the largest load): below, a thread's fixed work is spread over few requests.

    Parameters
    ----------
    tables
        From `analysis.tidy`; half of the median round trip of `pings`, if there are any, is the
        network delay.
    section, workload, workers
        Which runs; `workers` where there are middlewares.
    known
        Fields of `System` that the tables do not tell, such as `server_time`, or that a what-if
        replaces. A set goes to all servers unless `servers_per_request` says otherwise.

    Raises
    ------
    ValueError
        There is no such run.
    """
    chosen: dict[str, Any] = {"section": section, "workload": workload}
    if workers is not None:
        chosen["workers"] = workers
    runs, hosts = _select(tables.runs, chosen), _select(tables.hosts, chosen)
    if runs.empty:
        raise ValueError(f"no accepted run with {chosen}")
    middlewares = int(runs["num_middlewares"].iloc[0])
    fields: dict[str, Any] = {
        "client_machines": hosts.loc[hosts["role"] == "clients", "host"].nunique(),
        "middlewares": middlewares,
        "servers": int(runs["num_servers"].iloc[0]),
        "think_time": float(runs["think_time_s"].iloc[0]),
        **message_bytes(workload),
        **_link_rates(hosts),
    }
    if middlewares:
        fields |= {"workers": workers, "net_thread_time": _net_thread_time(runs, middlewares)}
    if len(tables.pings):
        round_trip_ms = tables.pings["round_trip_time_p50_ms"].median()
        fields["network_delay"] = float(ms_to_s(round_trip_ms) / 2)
    fields |= known
    if middlewares and workload == "set":
        fields.setdefault("servers_per_request", fields["servers"])
    return System(**fields)


def _select(frame: pd.DataFrame, chosen: dict[str, Any]) -> pd.DataFrame:
    return frame[np.logical_and.reduce([frame[name] == level for name, level in chosen.items()])]


def _link_rates(hosts: pd.DataFrame) -> dict[str, float]:
    """Rates in bit/s by field of `System`; a role without a limit keeps none."""
    rates = hosts.groupby("role")["rate_mbit_per_s"].first()
    return {_LINKS[str(role)]: float(rate) * BITS_PER_MBIT for role, rate in rates.dropna().items()}


def _net_thread_time(runs: pd.DataFrame, middlewares: int) -> float:
    busy = runs[runs["middleware_net_thread_utilization"] >= 0.5]
    if busy.empty:
        busy = runs[runs["num_clients"] == runs["num_clients"].max()]
    utilization = busy["middleware_net_thread_utilization"]
    demands = middlewares * utilization / busy["middleware_throughput_ops_per_s"]
    return float(demands.mean())
