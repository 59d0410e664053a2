"""The systems of the first page's figure: how near they come to their bounds, and their times."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.claims.measurements import (
    RESPONSE_TIME,
    THROUGHPUT,
    Measurements,
    NotMeasured,
    by_repetition,
)
from analysis.models.asymptotes import asymptote_table
from analysis.statistics.estimates import mean_of
from analysis.tables.frames import Tables

SYSTEMS = {
    "2.1": "no middleware, 1 server",
    "3.1": "1 middleware, 1 server",
    "3.2": "2 middlewares, 1 server",
    "4.1": "2 middlewares, 3 servers",
}
"""By the sections that measure them."""
WORKLOADS = ("get", "set")
NETWORK, OWN, SERVICE, ALL = (
    "to the middleware",
    "in the middleware",
    "at the server",
    "without a middleware",
)
_RESPONSE, _SERVICE = "middleware_response_time_ms", "middleware_service_time_ms"


def capacities(measured: Measurements) -> pd.DataFrame:
    """Return the throughput of each system at its largest load, and its asymptotic bound.

    With the most workers that were measured. Columns: `section`, `system`, `workload`,
    `throughput_ops_per_s`, its interval `ci_low` and `ci_high`, `bound_ops_per_s`; no rows for what
    was not measured.
    """
    rows = []
    for section in SYSTEMS:
        try:
            held = measured.with_pings(section)
        except NotMeasured:
            continue
        names = ["section", "workload", *(["workers"] if "workers" in held.runs else [])]
        bounds = asymptote_table(held, names)
        for workload in WORKLOADS:
            levels = _levels(held, workload)
            own = bounds.loc[(bounds[list(levels)] == pd.Series(levels)).all(axis="columns")]
            values = by_repetition(held.runs, THROUGHPUT, **levels)
            if own.empty or values.empty:
                continue
            throughput = mean_of(values.tolist())
            bound = float(own["most_ops_per_s"].iloc[0])
            levels_of = (section, SYSTEMS[section], workload)
            rows.append((*levels_of, throughput.value, *throughput.interval(), bound))
    columns = ["section", "system", "workload", "throughput_ops_per_s", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=[*columns, "bound_ops_per_s"])


def times_at_smallest_load(measured: Measurements) -> pd.DataFrame:
    """Return where the time of a set goes at the smallest load of each system.

    With the most workers that were measured. Columns: `section`, `system`, `part`, `time_ms`;
    without a middleware there is one part.
    """
    rows = []
    for section, tables in ((one, own) for one in SYSTEMS for own in measured.held(one)):
        times, response, service = (
            by_repetition(tables.runs, column, "smallest", **_levels(tables, "set"))
            for column in (RESPONSE_TIME, _RESPONSE, _SERVICE)
        )
        if times.empty:
            continue
        if response.dropna().empty:
            parts = {ALL: times}
        else:
            parts = {NETWORK: times - response, OWN: response - service, SERVICE: service}
        rows += [
            (section, SYSTEMS[section], part, float(values.mean()))
            for part, values in parts.items()
        ]
    return pd.DataFrame(rows, columns=["section", "system", "part", "time_ms"])


def _levels(tables: Tables, workload: str) -> dict[str, Any]:
    runs = tables.runs
    if "workers" not in runs:
        return {"workload": workload}
    return {"workload": workload, "workers": runs["workers"].max()}
