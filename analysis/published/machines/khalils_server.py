"""Khalil's server and network, by the two ends of his curve without a middleware.

At the largest load his server answers as many requests per second as it can; what is left of the
response time at the smallest load is the round trip between his machines.
"""

from pathlib import Path

import pandas as pd
from scipy.optimize import brentq

from analysis.models import ClosedSolution, Station, solve_closed
from analysis.published.machines.on_the_lab import THROUGHPUT
from analysis.published.machines.printed_sets import STUDIES
from analysis.published.printed import khalils_numbers, study_name
from analysis.tables.held import held_sections, held_tables
from analysis.units import MS_PER_S

STUDY, OURS = "khalil2016", "This lab"
_MEASURES = ["throughput_ops_per_s", "response_time_ms"]


def round_trip_s() -> float:
    """Find the round trip with which the smallest load has its response time."""
    first = khalils_numbers().sort_values("num_clients").iloc[0]
    few, wanted_s = int(first["num_clients"]), float(first["response_time_ms"]) / MS_PER_S
    return float(
        brentq(lambda rtt_s: _solved(rtt_s, few).response_time[-1] - wanted_s, 0, wanted_s)
    )


def requests_per_s() -> float:
    """Return how many requests the server answers per second under the largest load."""
    return float(khalils_numbers().query("replicas.isna()")["throughput_ops_per_s"].max())


def predicted_curve(most_clients: int) -> pd.DataFrame:
    """Predict his curve: `model`, `num_clients`, `throughput_ops_per_s`, `response_time_ms`."""
    solved = _solved(round_trip_s(), most_clients)
    return pd.DataFrame(
        {
            "model": "one server, one round trip",
            "num_clients": range(1, most_clients + 1),
            "throughput_ops_per_s": solved.throughput,
            "response_time_ms": solved.response_time * MS_PER_S,
        }
    )


def curves(data: Path) -> pd.DataFrame:
    """Put the lab's curve without a middleware, on his topology, beside what he printed.

    Parameters
    ----------
    data
        The folder of all campaigns.

    Returns
    -------
    pandas.DataFrame
        `series` (whose), `order` (behind the other studies), `num_clients`,
        `throughput_ops_per_s`, `response_time_ms`; ours are missing where ``data/khalil2016``
        holds no campaign.
    """
    theirs = khalils_numbers().query("replicas.isna()")
    parts = [
        theirs[["num_clients", *_MEASURES]].assign(series=study_name(STUDY), order=len(STUDIES))
    ]
    if STUDY in held_sections(data / STUDY):
        runs = held_tables(data / STUDY, STUDY).runs.query("num_middlewares == 0")
        ours = runs.rename(
            columns={THROUGHPUT: _MEASURES[0], f"client_{_MEASURES[1]}": _MEASURES[1]}
        )
        means = ours.groupby("num_clients")[_MEASURES].mean().reset_index()
        parts.append(means.assign(series=OURS, order=len(STUDIES) + 1))
    return pd.concat(parts, ignore_index=True)


def ratios(data: Path) -> pd.DataFrame:
    """Compare the lab with each number that he printed of that curve.

    Returns
    -------
    pandas.DataFrame
        `num_clients`, `quantity` and `ratio`, ours over his; empty where nothing was measured.
    """
    long = curves(data).melt(["series", "num_clients"], _MEASURES, "quantity").dropna()
    table = long.pivot_table("value", ["num_clients", "quantity"], "series").reset_index()
    if OURS not in table:
        return pd.DataFrame(columns=["num_clients", "quantity", "ratio"])
    table["ratio"] = table[OURS] / table[study_name(STUDY)]
    return table.dropna(subset="ratio")[["num_clients", "quantity", "ratio"]]


def _solved(rtt_s: float, clients: int) -> ClosedSolution:
    network = Station("network", rtt_s, 1, float("inf"))
    return solve_closed([network, Station("server", 1 / requests_per_s())], clients)
