"""The stations of the open-loop section: one server's link, and the workers of a middleware."""

import math
from collections.abc import Mapping

import pandas as pd

from analysis.models.measured import measured_system
from analysis.models.system import System
from analysis.results.histograms import merge_histograms
from analysis.sections.open_loop import ServiceCenter, compare_open, scv
from analysis.tables.frames import Tables
from analysis.text.formatting import Format, grouped
from analysis.text.lists import joined
from analysis.text.numbers import digits, error_text, percent

SECTION = "7"
FORMATS: dict[str, Format] = {
    "measured_rate_ops_per_s": ",.0f",
    "utilization": ".2f",
    "predicted": digits,
    "measured": digits,
    "relative_error": error_text,
}
_COLUMNS = [
    "model",
    "arrival_rate_per_s",
    "measured_rate_ops_per_s",
    "utilization",
    "predicted",
    "measured",
    "ci_low",
    "ci_high",
    "relative_error",
    "verdict",
    "reason",
]


def compare_link(
    tables: Tables, cells: pd.DataFrame, *, burst_bytes: float | None = None
) -> pd.DataFrame:
    """Compare M/M/1, M/D/1 and a token bucket with gets that one server's link limits.

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

    Returns
    -------
    pandas.DataFrame
        As `analysis.sections.open_loop.compare_open`; empty where no run without middleware was
        accepted.
    """
    own = _chosen(tables, cells, num_middlewares=0)
    if own.empty:
        return pd.DataFrame(columns=_COLUMNS)
    system = measured_system(
        tables, section=SECTION, workload="get", factors={"num_middlewares": 0}
    )
    link_s = system.from_server_bytes * 8 / system.server_link_rate
    other_s = _outside_s(system) + system.server_time + _client_s(tables, cells, system)
    center = ServiceCenter(
        service_time=link_s,
        other_time=other_s,
        service_scv=0.0,
        burst_time=(burst_bytes or 0) * 8 / system.server_link_rate,
        unserved_share=_share_below(tables, own, (other_s + link_s) * 1000),
    )
    return compare_open(own, center)


def compare_workers(tables: Tables, cells: pd.DataFrame, *, workers: int) -> pd.DataFrame:
    """Compare M/M/m and its kin with sets through one middleware of `workers` workers.

    The service time of each rate, and its variation, are those that the middleware measured, with
    what its net thread does for a worker; elsewhere a request spends a round trip between client
    and middleware, and the client's time.

    Parameters
    ----------
    tables, cells
        As for `compare_link`.

    Returns
    -------
    pandas.DataFrame
        As `analysis.sections.open_loop.compare_open`; empty where no such run was accepted.
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
    center = ServiceCenter(
        service_time=own["middleware_service_time_ms_mean"] / 1000,
        num_servers=workers,
        other_time=_outside_s(system) + _client_s(tables, cells, system),
        service_scv=scv(merge_histograms([samples[["upper_edge_ms", "count"]]])),
    )
    return compare_open(own, center)


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


def _share_below(tables: Tables, cells: pd.DataFrame, limit_ms: float) -> pd.Series | None:
    """Share of the requests at each rate that clients saw answered in less than a time."""
    samples = tables.histograms
    if samples.empty:
        return None
    samples = samples[(samples["side"] == "client") & (samples["time"] == "response_time")]
    below = samples["count"].where(samples["upper_edge_ms"] < limit_ms, 0)
    rate = samples["arrival_rate_per_s"]
    shares = below.groupby(rate).sum() / samples["count"].groupby(rate).sum()
    return cells["arrival_rate_per_s"].map(shares)


def as_points(*compared: pd.DataFrame) -> pd.DataFrame:
    """Turn comparisons into what `analysis.figures.plots.plot_predicted_against_measured` draws.

    Predictions where there is no steady state are left out.
    """
    rows = pd.concat(compared, ignore_index=True).dropna(subset="predicted")
    measure = "client_response_time_ms"
    rows[f"{measure}_predicted"] = rows["predicted"].astype(float)
    rows[f"{measure}_mean"] = rows["measured"].astype(float)
    for bound in ("ci_low", "ci_high"):
        rows[f"{measure}_{bound}"] = rows[bound].astype(float)
    return rows


def station_table(compared: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Show which rates requests arrive at at which station, and how busy that keeps it.

    Parameters
    ----------
    compared
        Station to its comparison; one without a run is left out.

    Returns
    -------
    pandas.DataFrame
        `station`, `arrival_rates_per_s` and `utilizations`, from the lowest to the highest, as
        texts.
    """
    rows = []
    for station, frame in compared.items():
        rates = frame.drop_duplicates("arrival_rate_per_s").sort_values("arrival_rate_per_s")
        if len(rates):
            listed = {
                "arrival_rates_per_s": ", ".join(rates["arrival_rate_per_s"].map(grouped)),
                "utilizations": ", ".join(rates["utilization"].map("{:.2f}".format)),
            }
            rows.append({"station": station, **listed})
    return pd.DataFrame(rows, columns=["station", "arrival_rates_per_s", "utilizations"])


def rate_words(compared: Mapping[str, pd.DataFrame]) -> str:
    """Say how busy the highest rate keeps each station."""
    parts = [
        f"{percent(frame['utilization'].max())} at {station}"
        for station, frame in compared.items()
        if len(frame)
    ]
    if not parts:
        return "No run with Poisson arrivals was accepted."
    return f"The highest utilization is {joined(parts)}."


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
