"""Chapter 6: which factor decides how fast the system is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.chapters.two_k_factorial.factor_effects import FACTORS, bound_runs
from analysis.claims.findings import SAME, THROUGHPUT, Findings, ratio, whole_repetitions
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.statistics.estimates import Estimate, mean_of
from analysis.statistics.factorial.designs import analyse_designs
from analysis.statistics.factorial.effects_table import RESPONSES
from analysis.tables.frames import Tables

_FEW, _MANY = 8, 32


def check(found: Findings) -> None:
    """Check what servers, middlewares and workers change, and that bounds predict it."""
    tables = found.tables("6")
    found.check(
        "6",
        "Links and workers alone tell every throughput within a fifth.",
        quantity="throughput over its bound, the least of all cells",
        measured=_least_share_of_bound(tables, found.tables("0")),
        holds=at_least(0.8),
        see="06-1-cells",
    )
    found.check(
        "6",
        "The number of servers decides the throughput of gets.",
        quantity="share of the variation of gets, servers",
        measured=_share_of_servers(tables),
        holds=at_least(0.9),
        see="06-2-table",
    )
    _ratios(found)
    found.law("6", see="06-1-cells")
    found.processors("6", see="06-4-utilization")


def _ratios(found: Findings) -> None:
    found.check(
        "6",
        "Three servers give three times the gets of one.",
        quantity="throughput, 3 servers over 1",
        measured=ratio(
            found.values("6", workload="get", num_servers=3),
            found.values("6", workload="get", num_servers=1),
        ),
        holds=equal_to(3, SAME),
        see="06-1-cells",
    )
    one: dict[str, Any] = {"workload": "set", "num_middlewares": 1}
    three: dict[str, Any] = {"workload": "set", "num_servers": 3}
    found.check(
        "6",
        "Three servers halve the sets of one middleware, at least.",
        quantity=f"throughput, 3 servers over 1, {_MANY} workers",
        measured=ratio(
            found.values("6", **one, num_servers=3, workers=_MANY),
            found.values("6", **one, num_servers=1, workers=_MANY),
        ),
        holds=at_most(0.5),
        see="06-3-interactions",
    )
    found.check(
        "6",
        "A second middleware doubles the sets to three servers.",
        quantity=f"throughput, 2 middlewares over 1, {_MANY} workers",
        measured=ratio(
            found.values("6", **three, num_middlewares=2, workers=_MANY),
            found.values("6", **three, num_middlewares=1, workers=_MANY),
        ),
        holds=equal_to(2, SAME),
        see="06-3-interactions",
    )
    found.check(
        "6",
        "With three servers more workers bring one middleware no sets.",
        quantity=f"throughput, {_MANY} over {_FEW} workers, 3 servers",
        measured=ratio(
            found.values("6", **three, num_middlewares=1, workers=_MANY),
            found.values("6", **three, num_middlewares=1, workers=_FEW),
        ),
        holds=equal_to(1, SAME),
        see="06-3-interactions",
    )


def _least_share_of_bound(tables: Tables | None, network: Tables | None) -> Estimate:
    if tables is None:
        return mean_of([])
    if network is not None:
        tables = replace(tables, pings=network.pings)
    system = ["workload", *FACTORS]
    bounds = bound_runs(tables)[[*system, THROUGHPUT]].rename(columns={THROUGHPUT: "bound"})
    runs = whole_repetitions(tables.runs.merge(bounds, on=system))
    shares = runs[THROUGHPUT] / runs["bound"]
    return mean_of(shares.groupby(runs["repetition"]).min().tolist())


def _share_of_servers(tables: Tables | None) -> Estimate:
    """Estimate it from each repetition that is a whole design."""
    shares: list[float] = []
    if tables is not None:
        gets = tables.runs[tables.runs["workload"] == "get"]
        for _, runs in gets.groupby("repetition"):
            if len(runs) == 2 ** len(FACTORS) and (runs[list(FACTORS)].nunique() == 2).all():
                (result,) = analyse_designs(runs, FACTORS, {"X": RESPONSES["throughput"]}).values()
                shares.append(float(result.effects["variation_explained"].loc["A"]))
    return mean_of(shares)
