"""A `System` from what a campaign measured."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.system import System
from analysis.statistics.loads.message_sizes import message_bytes
from analysis.tables.frames import SETTINGS, Tables
from analysis.units import BITS_PER_MBIT, ms_to_s

_LINKS = {
    "clients": "client_link_rate",
    "middlewares": "middleware_link_rate",
    "servers": "server_link_rate",
}
_SIZES = {"value_bytes": "value_bytes", "key_bytes": "key_bytes", "keys": "multi_get_keys"}
_RUN_KEY = ("section", "workload", "clients_per_thread", "repetition", "num_clients")
_OF_CELLS = ("workers", "think_time_s", "num_clients")
HALF_BUSY = 0.5


def measured_system(
    tables: Tables,
    *,
    section: str,
    workload: str,
    workers: int | None = None,
    factors: Mapping[str, Any] | None = None,
    demands_from: pd.DataFrame | None = None,
    shared_machine: bool = False,
    **known: Any,
) -> System:
    r"""Build the system that a section measured, with demands by the utilization law.

    .. math:: D_{net} = M \, U_{net} / X, \quad S_{server} = m \, U_{CPU} / (X v)

    with the mean utilization over all loads that kept the resource half busy or more (at least the
    largest load): below, fixed work is spread over few requests. A request visits v of the m
    servers; their CPU time is known where hosts count their own, that of net threads where the
    middleware tells their time on a processor. Elsewhere it is left at 0.

    Parameters
    ----------
    tables
        From `analysis.tables.tidying`. The network delay is half of the round trip that a lab was
        calibrated to; else half of the median round trip of section 0's `pings`, or of the shortest
        beside a load.
    section, workload, workers
        Which runs; `workers` where the section varies them.
    factors
        Further factors and levels that choose the runs, such as ``{"num_servers": 3}``.
    demands_from
        Cells, columns `workers` and `num_clients` (and `think_time_s` where it varies), of this
        section and workload whose runs alone tell the demands of processors, whatever their workers
        and think time; by default the runs of this system.
    shared_machine
        Whether the CPU of the machine that all hosts of a lab share is a station too, with all that
        kept it busy: :math:`D = c U / X` of its c cores at the largest load. Where hosts have CPUs
        of their own, or the cores are not known, there is none.
    known
        Fields of `System` that the tables do not tell, or that a what-if replaces. A set goes to
        all servers (to `replicas` of a ring) unless `servers_per_request` says otherwise.

    Raises
    ------
    ValueError
        There is no such run, or runs of several systems; or connections have a `pipeline` through
        the middleware, where a reply waits for those of earlier requests: `System` has no such
        wait.
    """
    chosen: dict[str, Any] = {"section": section, "workload": workload, **(factors or {})}
    if workers is not None:
        chosen["workers"] = workers
    runs, hosts = _select(tables.runs, chosen), _select(tables.hosts, chosen)
    if runs.empty:
        raise ValueError(f"no accepted run with {chosen}")
    telling, their_hosts = runs, hosts
    if demands_from is not None:
        every = {name: level for name, level in chosen.items() if name not in _OF_CELLS}
        cells = demands_from[[name for name in _OF_CELLS if name in demands_from]]
        telling, their_hosts = (
            _select(frame, every).merge(cells) for frame in (tables.runs, tables.hosts)
        )
    for name in ("num_middlewares", "num_servers", "workers", "think_time_s"):
        levels = runs[name].drop_duplicates().tolist() if name in runs else []
        if len(levels) > 1:
            raise ValueError(f"{name} must be chosen among {levels}: give it as a factor")
    if "pipeline" in runs and ((runs["pipeline"] > 1) & (runs["num_middlewares"] > 0)).any():
        raise ValueError(
            f"runs with {chosen} have a pipeline through a middleware, where replies wait for "
            "those of earlier requests: choose runs with pipeline 1"
        )
    first = runs.iloc[0]
    middlewares, think_time = int(first["num_middlewares"]), float(first["think_time_s"])
    sizes = {
        name: int(first[column])
        for name, column in _SIZES.items()
        if column in runs and pd.notna(first[column])
    }
    fields: dict[str, Any] = {
        "client_machines": hosts.loc[hosts["role"] == "clients", "host"].nunique(),
        "middlewares": middlewares,
        "servers": int(first["num_servers"]),
        "think_time": 0.0 if np.isnan(think_time) else think_time,
        **message_bytes(workload, **sizes),
        **link_rates(hosts),
        **network_delay(tables.pings, section),
    }
    if middlewares:
        fields |= {
            "workers": int(first["workers"]),
            "net_thread_time": _net_thread_time(telling, middlewares),
        }
    if shared_machine:
        fields |= _machine(telling, their_hosts)
    fields |= known
    if middlewares and workload == "set":
        copies = first.get("replicas", np.nan)
        on_ring = first.get("routing", "") == "consistent-hash" and pd.notna(copies)
        fields.setdefault("servers_per_request", int(copies) if on_ring else fields["servers"])
    if "server_time" not in known:
        visits = fields.get("servers_per_request", 1) / fields["servers"]
        fields["server_time"] = _cpu_time(telling, their_hosts, "servers") / visits
    return System(**fields)


def _select(frame: pd.DataFrame, chosen: dict[str, Any]) -> pd.DataFrame:
    """Rows with the chosen levels; what a table has no column for is the same in all its rows."""
    conditions = [frame[name] == level for name, level in chosen.items() if name in frame]
    chosen_rows: pd.DataFrame = frame[
        np.logical_and.reduce([c.fillna(False).astype(bool) for c in conditions])
    ]
    return chosen_rows


def network_delay(pings: pd.DataFrame, section: str) -> dict[str, float]:
    """Half of a round trip, in seconds: as calibrated, on the idle network, or the shortest.

    A calibrated delay line is shorter than what it emulates by the wake-ups of the machine, which
    an application waits for and ping does not.
    """
    if pings.empty:
        return {}
    own, idle = pings["section"] == section, pings["section"] == "0"
    calibrated = (own | idle) & pings.get(
        "line_round_trip_time_ms", pd.Series(index=pings.index)
    ).notna()
    if calibrated.any():
        times = pings.loc[calibrated, "emulated_round_trip_time_ms"]
    elif idle.any():
        times = pings.loc[idle, "round_trip_time_p50_ms"]
    else:
        times = pings.loc[own, "round_trip_time_min_ms"]
    return {} if times.empty else {"network_delay": float(ms_to_s(times.median()) / 2)}


def link_rates(hosts: pd.DataFrame) -> dict[str, float]:
    """Rates in bit/s by field of `System`; what is not known to be limited takes no time."""
    rates = hosts.groupby("role")["rate_mbit_per_s"].first().dropna()
    known = {_LINKS[str(role)]: float(rate) * BITS_PER_MBIT for role, rate in rates.items()}
    return dict.fromkeys(_LINKS.values(), math.inf) | known


def _net_thread_time(runs: pd.DataFrame, middlewares: int) -> float:
    """CPU seconds of one request in a net thread, in undilated time; 0 where not known."""
    known = runs.dropna(subset="middleware_net_thread_utilization")
    if known.empty:
        return 0.0
    busy = known[known["middleware_net_thread_utilization"] >= HALF_BUSY]
    if busy.empty:
        busy = _at_largest_load(known)
    utilization = busy["middleware_net_thread_utilization"]
    demands = middlewares * utilization / busy["middleware_throughput_ops_per_s"]
    return float(demands.mean())


def _cpu_time(runs: pd.DataFrame, hosts: pd.DataFrame, role: str) -> float:
    """CPU seconds of one host of a role for a request, in undilated time; 0 where not known.

    A share of the time is the same dilated or not, and the throughput is undilated.
    """
    if "cpu_s" not in hosts or hosts.loc[hosts["role"] == role, "cpu_s"].isna().all():
        return 0.0
    key = [name for name in (*_RUN_KEY, *SETTINGS) if name in runs and name in hosts]
    own = hosts[hosts["role"] == role].groupby(key, as_index=False, dropna=False)["cpu_s"].mean()
    joined = runs.merge(own, on=key)
    busy = joined[joined["cpu_s"] / joined["stable_s"] >= HALF_BUSY]
    chosen = _at_largest_load(joined) if busy.empty else busy
    demands = chosen["cpu_s"] / chosen["stable_s"] / chosen["client_throughput_ops_per_s"]
    return float(demands.mean())


def _machine(runs: pd.DataFrame, hosts: pd.DataFrame) -> dict[str, float]:
    """CPU seconds of the shared machine for a request, and its cores; empty where there is none.

    Every host records the machine's percentages, and its own CPU time also as a share of the cores,
    or of its quota, of which the cores are not told.
    """
    own = hosts[hosts["shares_machine"].astype(bool)]
    if "cpu_quota" in own:
        own = own[own["cpu_quota"].isna()]
    if "cpu_s" not in own or own["cpu_s"].isna().all():
        return {}
    key = [name for name in (*_RUN_KEY, *SETTINGS) if name in runs and name in own]
    joined = _at_largest_load(runs.merge(own, on=key))
    cores = (joined["cpu_s"] / joined["stable_s"] / joined["cpu_utilization"]).median()
    demands = cores * joined["cpu_percent"] / 100 / joined["client_throughput_ops_per_s"]
    return {"machine_time": float(demands.mean()), "machine_cores": round(cores)}


def _at_largest_load(runs: pd.DataFrame) -> pd.DataFrame:
    is_open = "arrival_rate_per_s" in runs and runs["arrival_rate_per_s"].notna().any()
    load = "arrival_rate_per_s" if is_open else "num_clients"
    largest: pd.DataFrame = runs[runs[load] == runs[load].max()]
    return largest
