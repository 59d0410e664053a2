"""What can be compared with the studies by number: ours over theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.paths import DATA
from analysis.published.machines.khalils_server import ratios
from analysis.published.printed import (
    published_summary,
    published_table,
    published_workers,
    study_name,
)
from analysis.published.rederived import rederive_all
from analysis.published.variation_again import FACTORS, Workload, design_runs
from analysis.queues.beside_su import STUDY, component_table, growth_table, load_table
from analysis.queues.evidence import held_evidence
from analysis.sections import full_system, replication, summary
from analysis.sections.between_hosts import network_table, studies_bandwidths
from analysis.sections.multi_gets import published_numbers
from analysis.tables.held import held_sections, held_tables

AGAIN = "again"
SYSTEM = ["section", "workload"]
_DESIGNED = ("schmid2018", "yenicelik2018", "cetin2018")
_WORKLOADS: tuple[Workload, ...] = ("get", "set")
_DESIGN = {  # factors of section 6 to the studies' levels, coded
    "num_middlewares": ("middlewares", {1: -1, 2: 1}),
    "num_servers": ("servers", {1: -1, 3: 1}),
    "workers": ("workers", {8: -1, 32: 1}),
}
_THROUGHPUT = "client_throughput_ops_per_s"
_KHALIL = "khalil2016"


def compared(name: str, campaign_dir: Path) -> pd.DataFrame:
    """Compare a campaign with the studies.

    Parameters
    ----------
    name
        One of `COMPARISONS`.
    campaign_dir
        ``data/<campaign>``.

    Returns
    -------
    pandas.DataFrame
        One row for each number that both have: `study`, what it is of (`section`, `workload`,
        `table`, where the comparison has several), and `ratio`, ours over the study's. Empty where
        the campaign holds none of the sections.

    Raises
    ------
    ValueError
        There is no such comparison.
    """
    if name not in COMPARISONS:
        raise ValueError(f"comparison must be one of {sorted(COMPARISONS)}, got {name!r}")
    sections, ratios = COMPARISONS[name]
    if sections and not set(sections) & set(held_sections(campaign_dir)):
        return pd.DataFrame(columns=["study", "ratio"])
    return ratios(campaign_dir).dropna(subset="ratio").reset_index(drop=True)


def _baseline(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity without a middleware."""
    loads = summary.cells(held_tables(campaign_dir, "2.1", "2.2").runs)
    return _capacities(summary.capacity_table(loads, SYSTEM), "2.1", "2.2")


def _with_middleware(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity at the clients, with just enough workers."""
    loads = summary.cells(held_tables(campaign_dir, "3.1", "3.2").runs)
    best = summary.middleware_table(loads)
    return _capacities(best[best["measured_on"] == "clients"], "3.1", "3.2")


def _capacities(ours: pd.DataFrame, *sections: str) -> pd.DataFrame:
    theirs = pd.concat([published_summary(section) for section in sections])
    table = summary.comparison_table(ours, theirs, on=[*SYSTEM, "measured_on"])
    return table.rename(columns={"throughput_ratio": "ratio"})[["study", *SYSTEM, "ratio"]]


def _by_workers(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity of sets by workers, Schmid's table 3."""
    system = [*SYSTEM, "workers"]
    loads = summary.cells(held_tables(campaign_dir, "3.1").runs)
    ours = summary.capacity_table(loads, system, measured_on="middleware")
    table = summary.comparison_table(ours, published_workers(), on=[*system, "measured_on"])
    return table.rename(columns={"throughput_ratio": "ratio"})[["study", *system, "ratio"]]


def _full_system(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity of sets to three servers, by workers."""
    ours = full_system.full_system_table(summary.cells(held_tables(campaign_dir, "4.1").runs))
    table = full_system.beside_published(ours, full_system.published_full_system())
    return table.rename(columns={"throughput_ratio": "ratio"})[["study", "workers", "ratio"]]


def _design(campaign_dir: Path) -> pd.DataFrame:
    """Throughput of the eight cells of each 2^3 design; response times are N over it."""
    runs = held_tables(campaign_dir, "6").runs
    coded = {name: runs[own].map(levels) for own, (name, levels) in _DESIGN.items()}
    ours = runs.assign(**coded).groupby(["workload", *FACTORS])[_THROUGHPUT].mean().reset_index()
    parts = []
    for study in _DESIGNED:
        for workload in _WORKLOADS:
            theirs = design_runs(study, workload).groupby(FACTORS)["throughput"].mean()
            both = ours[ours["workload"] == workload].merge(theirs.reset_index(), on=FACTORS)
            ratio = both[_THROUGHPUT] / both["throughput"]
            parts.append(both[["workload", *FACTORS]].assign(study=study, ratio=ratio))
    return pd.concat(parts, ignore_index=True)


def _overhead(campaign_dir: Path) -> pd.DataFrame:
    """Throughput through a middleware over that without, copies on all servers: Khalil's."""
    tables = replication.with_systems(held_tables(campaign_dir, "0", "9"))
    loads, bounds = summary.cells(tables.runs), replication.bounds_table(tables)
    both = replication.khalil_table(replication.summary_table(loads, bounds), tables.runs)
    through = both.dropna(subset="replicas")
    is_his = through["source"] == study_name(_KHALIL)
    ours = through[~is_his].sort_values("workers")["relative_throughput"].tail(1).to_numpy()
    ratio = ours / through.loc[is_his, "relative_throughput"].to_numpy()
    return pd.DataFrame({"study": _KHALIL, "ratio": ratio})


def _khalils_curve(_: Path) -> pd.DataFrame:
    """Throughput and response time without a middleware, on Khalil's topology."""
    return ratios(DATA).assign(study=_KHALIL)


def _bandwidths(campaign_dir: Path) -> pd.DataFrame:
    """Bandwidth of one stream on the idle network, by the role that sends."""
    tables = held_tables(campaign_dir, "0")
    links = network_table(tables.pings, tables.bandwidths)
    ours = links.groupby("sender")["bandwidth_mbit_per_s"].mean()
    each = {study: ours / theirs for study, theirs in studies_bandwidths().items()}
    return pd.concat(each, names=["study", "role"]).rename("ratio").reset_index()


def _multi_gets(campaign_dir: Path) -> pd.DataFrame:
    """Compare the numbers of the texts alone: all other results of these sections are figures."""
    table = published_numbers(held_tables(campaign_dir, "5.1", "5.2").runs)
    return table.assign(ratio=table["ours"] / table["published"])[["study", "quantity", "ratio"]]


def _growth(campaign_dir: Path) -> pd.DataFrame:
    """How many times as long a worker holds a request than with the fewest workers."""
    table = growth_table(held_evidence(campaign_dir, "q2").runs).iloc[1:]
    ratio = table["times_longer"] / table["su2015_times_longer"]
    return pd.DataFrame({"study": STUDY, "workers": table["all_workers"], "ratio": ratio})


def _components(campaign_dir: Path) -> pd.DataFrame:
    """Compare what a request takes of each part, and what parts do at most."""
    found = held_evidence(campaign_dir, "q2", "q3", "q4")
    table = component_table(found.runs, found.demands)
    times = table["demand_ms"] / table["su2015_ms"]
    most = table["most_ops_per_s"] / table["su2015_ops_per_s"]
    return pd.DataFrame({"study": STUDY, "ratio": pd.concat([times, most], ignore_index=True)})


def _loads(campaign_dir: Path) -> pd.DataFrame:
    """Throughput by the number of clients that think for 5 ms, Su's table 6."""
    ours = load_table(held_evidence(campaign_dir, "q3", "q4"))
    theirs = published_table(STUDY, "t6_interactive").rename(columns={"N": "num_clients"})
    both = ours.merge(theirs, on="num_clients")
    ratio = both["throughput_ops_per_s"] / both["X_meas_req_s"]
    return pd.DataFrame({"study": STUDY, "num_clients": both["num_clients"], "ratio": ratio})


def _again(_: Path) -> pd.DataFrame:
    """Compare what follows from a study's own printed numbers; 1 where it agrees to its digits."""
    derived = rederive_all()
    ratio = derived["rederived"] / derived["published"].replace(0, np.nan)
    exact = ratio.mask(derived["agrees"].astype(bool), 1.0).fillna(np.inf)
    return derived[["study", "table", "quantity"]].assign(ratio=exact)


COMPARISONS: dict[str, tuple[tuple[str, ...], Callable[[Path], pd.DataFrame]]] = {
    "baseline": (("2.1", "2.2"), _baseline),
    "middleware": (("3.1", "3.2"), _with_middleware),
    "workers": (("3.1",), _by_workers),
    "full_system": (("4.1",), _full_system),
    "design": (("6",), _design),
    "overhead": (("9",), _overhead),
    "khalils_curve": ((), _khalils_curve),
    "bandwidths": (("0",), _bandwidths),
    "multi_gets": (("5.1", "5.2"), _multi_gets),
    "growth": (("q2",), _growth),
    "components": (("q2", "q3", "q4"), _components),
    "loads": (("q4",), _loads),
    AGAIN: ((), _again),
}
"""Name to the sections of which one must be held, and what computes the ratios."""
