"""The stations of the open-loop section: one server's link, and the workers of a middleware."""

import math
from collections.abc import Mapping

import pandas as pd

from analysis.chapters.queueing_models.open_loop import ServiceCenter, scv
from analysis.models.measured import measured_system
from analysis.models.system import System
from analysis.results.histograms import merge_histograms
from analysis.statistics.loads.message_sizes import link_seconds
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

SECTION = "7"
_RUN = ["workers", "arrival_rate_per_s", "repetition"]
_KEPT = (
    "section",
    "workload",
    "num_clients",
    "num_middlewares",
    "workers",
    "arrival_rate_per_s",
    "repetition",
    "client_response_time_ms",
)


def centers(tables: Tables, *, burst_bytes: float | None = None) -> dict[str, ServiceCenter]:
    """Describe the three stations of section 7 by name; see `link_center`, `workers_center`."""
    return {
        "link": link_center(tables, burst_bytes=burst_bytes),
        "one worker": workers_center(tables, workers=1),
        "eight workers": workers_center(tables, workers=8),
    }


def link_center(tables: Tables, *, burst_bytes: float | None = None) -> ServiceCenter:
    """Describe one server's link as the station where gets wait.

    The service time is that of the reply's bytes on the link; elsewhere a request spends a round
    trip of the idle network, its own bytes' time on the client's link, and the processors' time of
    server and client. A link that is a token bucket lets as many replies pass at once as its bucket
    holds.

    Parameters
    ----------
    tables
        With the runs of section 7, and of section 0 for the network's delay.
    burst_bytes
        Of the server's token bucket; None where the link is none, or its bucket is not known.
    """
    factors = {"num_middlewares": 0}
    own = _chosen(tables.runs, factors)
    if own.empty:
        return ServiceCenter(runs=_as_stations_see(own, math.nan, math.nan))
    system = measured_system(tables, section=SECTION, workload="get", factors=factors)
    service_time_s = link_seconds(system.from_server_bytes, system.server_link_rate)
    return ServiceCenter(
        runs=_as_stations_see(own, service_time_s, 0.0),
        other_time=_outside_s(system) + system.server_time + _client_s(tables, system),
        burst_time=link_seconds(burst_bytes or 0, system.server_link_rate),
    )


def workers_center(tables: Tables, *, workers: int) -> ServiceCenter:
    """Describe the workers of one middleware as the station where sets wait.

    The service time of each run, and its variation, are those that the middleware measured in it,
    with what its net thread does for a worker; elsewhere a request spends a round trip between
    client and middleware, and the client's time.

    Parameters
    ----------
    tables
        As for `link_center`.
    """
    factors = {"num_middlewares": 1, "workers": workers}
    own = _chosen(tables.runs, factors)
    if own.empty:
        return ServiceCenter(runs=_as_stations_see(own, math.nan, math.nan), num_servers=workers)
    system = measured_system(tables, section=SECTION, workload="set", factors=factors)
    service_time_s = own["middleware_service_time_ms"] / MS_PER_S
    return ServiceCenter(
        runs=_as_stations_see(own, service_time_s, _service_scvs(tables.histograms, own)),
        num_servers=workers,
        other_time=_outside_s(system) + _client_s(tables, system),
    )


def _chosen(runs: pd.DataFrame, levels: Mapping[str, int]) -> pd.DataFrame:
    """Choose the runs of the section with some levels."""
    own = runs[runs["section"] == SECTION]
    for name, level in levels.items():
        own = own[own[name] == level] if name in own else own.iloc[:0]
    return own


def _as_stations_see(
    runs: pd.DataFrame, service_time_s: float | pd.Series, scvs: float | pd.Series
) -> pd.DataFrame:
    """Name what `ServiceCenter` wants to know of each run.

    The arrival rate is the station's own where it counts arrivals, else what came back to clients.
    """
    came_back = runs["client_throughput_ops_per_s"]
    arrived = runs.get("middleware_arrival_rate_ops_per_s", came_back).fillna(came_back)
    kept = [name for name in _KEPT if name in runs]
    return runs[kept].assign(
        measured_rate_per_s=arrived,
        service_time_s=service_time_s,
        service_scv=scvs,
        machine_share=runs.get("machine_share", math.nan),
    )


def _service_scvs(histograms: pd.DataFrame, runs: pd.DataFrame) -> pd.Series:
    """Squared coefficient of variation of each run's service times; missing where not known."""
    if histograms.empty:
        return pd.Series(math.nan, index=runs.index)
    samples = histograms[
        (histograms["side"] == "middleware") & (histograms["time"] == "service_time")
    ]
    found = []
    for _, run in runs.iterrows():
        own = samples[(samples[_RUN] == run[_RUN]).all(axis="columns")]
        found.append(scv(merge_histograms([own[["upper_edge_ms", "count"]]])))
    return pd.Series(found, index=runs.index)


def _outside_s(system: System) -> float:
    """From the client and back to it, where nobody waits."""
    return 2 * system.network_delay + link_seconds(system.request_bytes, system.client_link_rate)


def _client_s(tables: Tables, system: System) -> float:
    r"""Seconds that a generator's event loop works on one request, by the utilization law.

    .. math:: D = U n / X

    at the section's largest rate, where what the loop also does is spread over most requests, with
    the utilization U of the busiest of n loops; 0 where the generator does not tell it.
    """
    runs = tables.runs[tables.runs["section"] == SECTION]
    if "client_loop_utilization" not in runs:
        return 0.0
    busiest = runs[runs["arrival_rate_per_s"] == runs["arrival_rate_per_s"].max()]
    first = busiest.iloc[0]
    loops = first["instances_per_client"] * first["threads_per_instance"] * system.client_machines
    utilization = busiest["client_loop_utilization"].mean()
    seconds = float(utilization * loops / busiest["client_throughput_ops_per_s"].mean())
    return 0.0 if math.isnan(seconds) else seconds
