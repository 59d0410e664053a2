"""The stations of the open-loop section: one server's link, and the workers of a middleware."""

import math
from collections.abc import Mapping

import pandas as pd

from analysis.models.measured import measured_system
from analysis.models.system import System, link_seconds
from analysis.results.histograms import merge_histograms
from analysis.sections.open_loop import ServiceCenter, scv
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

SECTION = "7"


def centers(
    tables: Tables, cells: pd.DataFrame, *, burst_bytes: float | None = None
) -> dict[str, ServiceCenter]:
    """Describe the three stations of section 7 by name; see `link_center`, `workers_center`."""
    return {
        "link": link_center(tables, cells, burst_bytes=burst_bytes),
        "one worker": workers_center(tables, cells, workers=1),
        "eight workers": workers_center(tables, cells, workers=8),
    }


def link_center(
    tables: Tables, cells: pd.DataFrame, *, burst_bytes: float | None = None
) -> ServiceCenter:
    """Describe one server's link as the station where gets wait.

    The service time is that of the reply's bytes on the link; elsewhere a request spends a round
    trip of the idle network, its own bytes' time on the client's link, and the processors' time of
    server and client. A link that is a token bucket lets as many replies pass at once as its bucket
    holds.

    Parameters
    ----------
    tables
        With the runs of section 7, and of section 0 for the network's delay.
    cells
        From `analysis.sections.summary.cells` of section 7.
    burst_bytes
        Of the server's token bucket; None where the link is none, or its bucket is not known.
    """
    factors = {"num_middlewares": 0}
    own = _chosen(tables, cells, factors)
    if own.empty:
        return ServiceCenter(cells=own, service_time=math.nan)
    system = measured_system(tables, section=SECTION, workload="get", factors=factors)
    return ServiceCenter(
        cells=own,
        service_time=link_seconds(system.from_server_bytes, system.server_link_rate),
        other_time=_outside_s(system) + system.server_time + _client_s(tables, cells, system),
        service_scv=0.0,
        burst_time=link_seconds(burst_bytes or 0, system.server_link_rate),
    )


def workers_center(tables: Tables, cells: pd.DataFrame, *, workers: int) -> ServiceCenter:
    """Describe the workers of one middleware as the station where sets wait.

    The service time of each rate, and its variation, are those that the middleware measured, with
    what its net thread does for a worker; elsewhere a request spends a round trip between client
    and middleware, and the client's time.

    Parameters
    ----------
    tables, cells
        As for `link_center`.
    """
    factors = {"num_middlewares": 1, "workers": workers}
    own = _chosen(tables, cells, factors)
    if own.empty:
        return ServiceCenter(cells=own, service_time=math.nan)
    system = measured_system(tables, section=SECTION, workload="set", factors=factors)
    samples = tables.histograms
    samples = samples[
        (samples["side"] == "middleware")
        & (samples["time"] == "service_time")
        & (samples["workers"] == workers)
    ]
    return ServiceCenter(
        cells=own,
        service_time=own["middleware_service_time_ms_mean"] / MS_PER_S,
        num_servers=workers,
        other_time=_outside_s(system) + _client_s(tables, cells, system),
        service_scv=scv(merge_histograms([samples[["upper_edge_ms", "count"]]])),
    )


def _chosen(tables: Tables, cells: pd.DataFrame, levels: Mapping[str, int]) -> pd.DataFrame:
    """Cells with some levels; one that no run varies stands only in the runs."""
    for name, level in levels.items():
        known = (
            cells[name] if name in cells else tables.runs.get(name, pd.Series([math.nan])).iloc[0]
        )
        cells = cells.assign(**{name: known})
        cells = cells[cells[name] == level]
    return cells


def _outside_s(system: System) -> float:
    """From the client and back to it, where nobody waits."""
    return 2 * system.network_delay + link_seconds(system.request_bytes, system.client_link_rate)


def _client_s(tables: Tables, cells: pd.DataFrame, system: System) -> float:
    r"""Seconds that a generator's event loop works on one request, by the utilization law.

    .. math:: D = U n / X

    at the section's largest rate, where what the loop also does is spread over most requests, with
    the utilization U of the busiest of n loops; 0 where the generator does not tell it.
    """
    if "client_loop_utilization_mean" not in cells:
        return 0.0
    busiest = cells.nlargest(1, "arrival_rate_per_s").iloc[0]
    settings = tables.runs.iloc[0]
    loops = settings["instances_per_client"] * settings["threads_per_instance"]
    working = busiest["client_loop_utilization_mean"] * loops * system.client_machines
    seconds = float(working / busiest["client_throughput_ops_per_s_mean"])
    return 0.0 if math.isnan(seconds) else seconds
