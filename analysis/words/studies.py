"""Our throughput beside that of the published studies, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.laws.bottlenecks import WORKERS, limiting, listed
from analysis.published.printed import khalil_conditions, study_name
from analysis.text.formatting import grouped
from analysis.text.lists import counted, joined

NEAR = 0.05  # throughputs that differ by less than this fraction agree
_NAMES = {"section": "section {}", "workers": "{} workers"}


def study_sentences(
    comparison: pd.DataFrame,
    utilizations: pd.DataFrame,
    by: Sequence[str] = ("section", "workload"),
    measured_on: str = "clients",
) -> str:
    """Say how much of the studies' throughput ours is, at which loads, and what limits ours.

    Parameters
    ----------
    comparison
        From `analysis.sections.summary.comparison_table`.
    utilizations
        From `analysis.laws.bottlenecks.utilization_table`, one system for each of `by`.
    by
        What makes a system.
    measured_on
        Whose numbers are compared, ``clients`` or ``middleware``.

    Returns
    -------
    str
        Markdown, one list item per system.
    """
    lines = []
    own = comparison[comparison["measured_on"] == measured_on]
    for key, rows in own.groupby(list(by)):
        levels = list(zip(by, key, strict=True))
        system = utilizations
        for name, level in levels:
            system = system[system[name] == level]
        title = ", ".join(_NAMES.get(name, "{}").format(level) for name, level in levels)
        first = rows.iloc[0]
        lines.append(
            f"- **{title}**: {grouped(first['throughput_ops_per_s'])} op/s at "
            f"{first['num_clients']} clients are {joined(map(_ratio, rows.to_dict('records')))}. "
            f"{_reason(rows, system)}"
        )
    return "\n".join(lines)


def khalil_systems() -> str:
    """Name the systems of Khalil's two measurements of section 3.3, which are not alike."""
    without, through = (
        f"{counted(row['num_clients'], 'client')} and {counted(row['num_servers'], 'server')}"
        for _, row in khalil_conditions().iterrows()
    )
    return f"{without} without the middleware, {through} with it"


def _ratio(row: Mapping[Any, Any]) -> str:
    load = row["study_num_clients"]
    at = "number of clients not told" if pd.isna(load) else f"{load} clients"
    return f"{row['throughput_ratio']:.2f} times those of {study_name(str(row['study']))} ({at})"


def _reason(rows: pd.DataFrame, system: pd.DataFrame) -> str:
    limit = limiting(system).head(1)
    if limit.empty:
        return "Nothing that was measured limits ours."
    told = f"Ours is limited by {listed(limit)}"
    resource = limit["resource"].iloc[0]
    less = rows.loc[rows["throughput_ratio"] > 1 + NEAR, "study"].map(study_name)
    if resource == WORKERS:
        return f"{told}, that is by how long each of them is held by a request."
    if not resource.endswith("links"):
        return f"{told}, not by what is emulated."
    if less.empty:
        return f"{told}, which have the bandwidth that the studies measured."
    return (
        f"{told}, which have the bandwidth that the studies measured; {joined(less)} did "
        "less, so that something limited them that is not emulated here."
    )
