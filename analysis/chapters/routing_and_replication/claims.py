"""Chapter 9: a ring of hashes, copies, and what the middleware costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.chapters.routing_and_replication.replication import (
    RING,
    SYSTEM,
    bounds_table,
    of_ring,
    with_systems,
)
from analysis.claims.findings import SAME, THROUGHPUT, Findings, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.laws.routing import request_shares
from analysis.statistics.estimates import mean_of
from analysis.tables.frames import Tables

_FEW, _MANY = 8, 64
_COPIES = 3
_RING: dict[str, Any] = {"num_middlewares": 1, **RING}


def check(found: Findings) -> None:
    """Check who gets how much, what copies cost, and what limits the middleware."""
    tables = found.tables("9")
    prepared = None if tables is None else with_systems(_with_network(tables, found.tables("0")))
    _shares(found, prepared)
    _copies(found, prepared)
    _workers(found, prepared)
    found.law("9", see="09-1-summary")
    found.processors("9", see="09-3-limits")


def _shares(found: Findings, tables: Tables | None) -> None:
    ring, remainder = (_largest(tables, routing) for routing in ("consistent-hash", "hash"))
    found.check(
        "9",
        "The ring gives no server a fifth more than its even share.",
        quantity=f"largest share over the even one, {_MANY} workers",
        measured=mean_of(ring.tolist()),
        holds=at_most(1.2),
        see="09-1-shares-table",
    )
    found.check(
        "9",
        "The remainder of a hash shares more evenly than the ring.",
        quantity="largest share, routing hash over consistent-hash",
        measured=ratio(remainder, ring),
        holds=at_most(1),
        see="09-1-shares-table",
    )


def _copies(found: Findings, tables: Tables | None) -> None:
    found.check(
        "9",
        "Three copies of each key cost mixed requests no throughput.",
        quantity=f"throughput, {_COPIES} copies over 1",
        measured=ratio(
            found.values("9", **_RING, replicas=_COPIES),
            found.values("9", **_RING, replicas=1),
        ),
        holds=equal_to(1, SAME),
        see="09-2-copies",
    )
    found.check(
        "9",
        "Copies are written at the same time, not one after another.",
        quantity=f"service time of sets, {_COPIES} copies over 1, {_MANY} workers",
        measured=ratio(*(_service_times(tables, copies) for copies in (_COPIES, 1))),
        holds=at_most(1.5),
        see="09-2-copies",
    )


def _workers(found: Findings, tables: Tables | None) -> None:
    few = found.values("9", **_RING, workers=_FEW)
    many = found.values("9", **_RING, workers=_MANY)
    shares: list[float] = []
    if tables is not None and found.tables("0") is not None:  # S_0 is of the idle network
        bounds = bounds_table(tables)[[*SYSTEM, "most_ops_per_s"]]
        runs = of_ring(tables.runs).merge(bounds, on=list(SYSTEM))
        runs = runs[runs["workers"] == _FEW]
        each = runs[THROUGHPUT] / runs["most_ops_per_s"]
        shares = each.groupby(runs["repetition"]).mean().tolist()
    found.check(
        "9",
        f"Each of {_FEW} workers does one request in a round trip.",
        quantity=f"throughput over m / S_0, {_FEW} workers",
        measured=mean_of(shares),
        holds=equal_to(1, SAME),
        see="09-1-summary",
        instead=found.limits("9", **_RING, workers=_FEW),
    )
    found.check(
        "9",
        "Eight times the workers do eight times the requests.",
        quantity=f"throughput, {_MANY} over {_FEW} workers",
        measured=ratio(many, few),
        holds=equal_to(_MANY / _FEW, SAME),
        see="09-2-copies",
    )
    found.check(
        "9",
        "Waiting workers cost more than half of the throughput.",
        quantity=f"throughput, {_MANY} workers over no middleware",
        measured=ratio(many, found.values("9", num_middlewares=0)),
        holds=at_most(0.5),
        see="09-1-summary",
    )
    found.check(
        "9",
        "Workers that do not wait do more than those that do.",
        quantity="throughput, pipelined over sequential",
        measured=ratio(found.values("9", **_RING | {"dispatch": "pipelined"}), many),
        holds=at_least(1.05),
        see="09-1-summary",
    )


def _with_network(tables: Tables, network: Tables | None) -> Tables:
    return tables if network is None else replace(tables, pings=network.pings)


def _largest(tables: Tables | None, routing: str) -> pd.Series:
    """Return in each repetition how many times its even share the busiest server was sent."""
    if tables is None:
        return pd.Series(dtype=float)
    servers = tables.servers
    chosen = servers[(servers["routing"] == routing) & (servers["workers"] == _MANY)]
    if chosen.empty:
        return pd.Series(dtype=float)
    shares = request_shares(chosen, ["repetition"])
    largest: pd.Series = shares.groupby("repetition")["share_mean"].max()
    return largest * chosen["server"].nunique()


def _service_times(tables: Tables | None, copies: int) -> pd.Series:
    if tables is None:
        return pd.Series(dtype=float)
    types = of_ring(tables.request_types)
    sets = types[
        (types["side"] == "middleware")
        & (types["request_type"] == "set")
        & (types["workers"] == _MANY)
        & (types["replicas"] == copies)
    ]
    times: pd.Series = sets.groupby("repetition")["service_time_ms"].mean()
    return times
