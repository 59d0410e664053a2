"""Chapter 6: which factor decides how fast the system is."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.chapters.two_k_factorial.factor_effects import FACTORS, bound_runs
from analysis.claims.claim import Chapter
from analysis.claims.measurements import SAME, THROUGHPUT, Measurements, ratio, whole_repetitions
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import idle_cpus, interactive_law
from analysis.statistics.estimates import Estimate, mean_of
from analysis.statistics.factorial.designs import analyse_designs
from analysis.statistics.factorial.effects_table import RESPONSES

chapter = Chapter("two-k-factorial")


@chapter.claim(
    "6", "06-1-cells", "throughput over its bound, the least of all cells", at_least(0.8)
)
def bounds_predict_throughput(measured: Measurements) -> Estimate:
    """In every cell, throughput reaches 80 % of the asymptotic bound of links and workers."""
    tables = measured.with_pings("6")
    system = ["workload", *FACTORS]
    bounds = bound_runs(tables)[[*system, THROUGHPUT]].rename(columns={THROUGHPUT: "bound"})
    runs = whole_repetitions(tables.runs.merge(bounds, on=system))
    shares = runs[THROUGHPUT] / runs["bound"]
    return mean_of(shares.groupby(runs["repetition"]).min().tolist())


@chapter.claim("6", "06-2-table", "share of the variation of gets, servers", at_least(0.9))
def servers_decide_gets(measured: Measurements) -> Estimate:
    """The number of servers explains at least 90 % of the variation of read throughput."""
    shares: list[float] = []
    runs = measured.tables("6").runs
    for _, gets in runs[runs["workload"] == "get"].groupby("repetition"):
        if len(gets) == 2 ** len(FACTORS) and (gets[list(FACTORS)].nunique() == 2).all():
            (result,) = analyse_designs(gets, FACTORS, {"X": RESPONSES["throughput"]}).values()
            shares.append(float(result.effects["variation_explained"].loc["A"]))
    return mean_of(shares)  # of repetitions that are whole designs


@chapter.claim("6", "06-1-cells", "throughput, 3 servers over 1", equal_to(3, SAME))
def three_servers_triple_gets(measured: Measurements) -> Estimate:
    """Read throughput with three servers is three times the read throughput with one server."""
    return ratio(
        measured.values("6", workload="get", num_servers=3),
        measured.values("6", workload="get", num_servers=1),
    )


def _sets(measured: Measurements, servers: int, middlewares: int, workers: int) -> pd.Series:
    levels: dict[str, Any] = {"num_servers": servers, "num_middlewares": middlewares}
    return measured.values("6", workload="set", workers=workers, **levels)


@chapter.claim("6", "06-3-interactions", "throughput, 3 servers over 1, 32 workers", at_most(0.5))
def three_servers_halve_sets(measured: Measurements) -> Estimate:
    """With one middleware, three servers have at most half the write throughput of one server."""
    return ratio(_sets(measured, 3, 1, 32), _sets(measured, 1, 1, 32))


@chapter.claim(
    "6", "06-3-interactions", "throughput, 2 middlewares over 1, 32 workers", equal_to(2, SAME)
)
def a_second_middleware_doubles_sets(measured: Measurements) -> Estimate:
    """With three servers, a second middleware doubles write throughput."""
    return ratio(_sets(measured, 3, 2, 32), _sets(measured, 3, 1, 32))


@chapter.claim(
    "6", "06-3-interactions", "throughput, 32 over 8 workers, 3 servers", equal_to(1, SAME)
)
def more_workers_bring_no_sets(measured: Measurements) -> Estimate:
    """With one middleware and three servers, 32 workers give no more write throughput than 8
    workers.
    """
    return ratio(_sets(measured, 3, 1, 32), _sets(measured, 3, 1, 8))


interactive_law(chapter, "6", see="06-1-cells")
idle_cpus(chapter, "6", see="06-4-utilization")
