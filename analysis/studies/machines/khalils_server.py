"""Khalil's server and network, by the two ends of his curve without a middleware.

At the largest load his server answers as many requests per second as it can; what is left of the
response time at the smallest load is the round trip between his machines.
"""

from pathlib import Path

import pandas as pd
from scipy.optimize import brentq

from analysis.models import ClosedSolution, Station, solve_closed
from analysis.studies.machines.on_the_lab import THROUGHPUT
from analysis.studies.machines.printed_sets import STUDIES
from analysis.studies.printed import khalils_numbers, study_name
from analysis.tables.loading import find_sections, load_tables
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

    Columns: `series` (whose), `order` (behind the other studies), `num_clients`,
    `throughput_ops_per_s`, `response_time_ms`; ours are missing where ``data/khalil2016`` holds no
    campaign.
    """
    theirs = khalils_numbers().query("replicas.isna()")
    parts = [
        theirs[["num_clients", *_MEASURES]].assign(series=study_name(STUDY), order=len(STUDIES))
    ]
    if STUDY in find_sections(data / STUDY):
        runs = load_tables(data / STUDY, STUDY).runs.query("num_middlewares == 0")
        ours = runs.rename(
            columns={THROUGHPUT: _MEASURES[0], f"client_{_MEASURES[1]}": _MEASURES[1]}
        )
        means = ours.groupby("num_clients")[_MEASURES].mean().reset_index()
        parts.append(means.assign(series=OURS, order=len(STUDIES) + 1))
    return pd.concat(parts, ignore_index=True)


def ratios(data: Path) -> pd.DataFrame:
    """Compare the lab with each number that he printed of that curve.

    Columns: `num_clients`, `quantity` and `ratio`, ours over his; empty where nothing was measured.
    """
    long = curves(data).melt(["series", "num_clients"], _MEASURES, "quantity").dropna()
    table = long.pivot_table("value", ["num_clients", "quantity"], "series").reset_index()
    if OURS not in table:
        return pd.DataFrame(columns=["num_clients", "quantity", "ratio"])
    table["ratio"] = table[OURS] / table[study_name(STUDY)]
    return table.dropna(subset="ratio")[["num_clients", "quantity", "ratio"]]


def at_his_loads(data: Path) -> pd.DataFrame:
    """Put all that he printed of a load beside what the lab measured under it.

    One row for each number: `num_clients`, `num_middlewares`, `quantity` (``throughput``,
    ``response time``), `cell` (the system in words, with the workers of the lab's middleware: he
    prints none), `printed`, `measured` (op/s or ms). Empty where ``data/khalil2016`` holds no
    campaign.
    """
    columns = ["num_clients", "num_middlewares", "quantity", "cell", "printed", "measured"]
    if STUDY not in find_sections(data / STUDY):
        return pd.DataFrame(columns=columns)
    runs = load_tables(data / STUDY, STUDY).runs.fillna({"workers": 0})
    ours = {"throughput": THROUGHPUT, "response time": f"client_{_MEASURES[1]}"}
    rows = []
    for his in khalils_numbers().to_dict("records"):
        through = int(pd.notna(his["replicas"]))
        own = runs[
            (runs["num_clients"] == his["num_clients"])
            & (runs["num_servers"] == his["num_servers"])
            & ((runs["num_middlewares"] > 0) == bool(through))
        ]
        cell = f"{his['num_clients']} clients, {his['num_servers']:g} server"
        if through and len(own):
            workers = own["workers"].iloc[0]
            cell += f"s, 1 middleware with {workers:g} workers, R = {his['replicas']:g}"
        for (quantity, measure), name in zip(ours.items(), _MEASURES, strict=True):
            rows.append(
                (his["num_clients"], through, quantity, cell, his[name], own[measure].mean())
            )
    return pd.DataFrame(rows, columns=columns).dropna(subset=["printed", "measured"])


def _solved(rtt_s: float, clients: int) -> ClosedSolution:
    network = Station("network", rtt_s, 1, float("inf"))
    return solve_closed([network, Station("server", 1 / requests_per_s())], clients)
