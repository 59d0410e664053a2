"""Chapter 9: a ring of hashes, copies, and what the middleware costs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.chapters.routing_and_replication.replication import (
    RING,
    SYSTEM,
    bounds_table,
    of_ring,
    with_systems,
)
from analysis.claims.claim import Chapter
from analysis.claims.measurements import SAME, THROUGHPUT, Measurements, limits, once, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import idle_cpus, interactive_law
from analysis.laws.routing import request_shares
from analysis.statistics.estimates import Estimate, mean_of
from analysis.tables.frames import Tables

chapter = Chapter("routing-and-replication")
_RING: dict[str, Any] = {"num_middlewares": 1, **RING}


@once
def _tables(measured: Measurements) -> Tables:
    return with_systems(measured.with_pings("9"))


def _largest(measured: Measurements, routing: str) -> pd.Series:
    """Return in each repetition how many times its even share the busiest server was sent."""
    servers = _tables(measured).servers
    chosen = servers[(servers["routing"] == routing) & (servers["workers"] == 64)]
    if chosen.empty:
        return pd.Series(dtype=float)
    shares = request_shares(chosen, ["repetition"])
    largest: pd.Series = shares.groupby("repetition")["share_mean"].max()
    return largest * chosen["server"].nunique()


@chapter.claim(
    "9", "09-1-shares-table", "largest share over the even one, 64 workers", at_most(1.2)
)
def ring_shares_evenly(measured: Measurements) -> Estimate:
    """With consistent hashing, the busiest server gets at most 20 % more requests than an even
    share.
    """
    return mean_of(_largest(measured, "consistent-hash").tolist())


@chapter.claim(
    "9", "09-1-shares-table", "largest share, routing hash over consistent-hash", at_most(1)
)
def remainder_shares_more_evenly(measured: Measurements) -> Estimate:
    """Hashing modulo the number of servers spreads requests more evenly than consistent hashing."""
    return ratio(_largest(measured, "hash"), _largest(measured, "consistent-hash"))


@chapter.claim("9", "09-2-copies", "throughput, 3 copies over 1", equal_to(1, SAME))
def copies_cost_no_throughput(measured: Measurements) -> Estimate:
    """Three replicas of each key do not change the throughput of mixed requests."""
    return ratio(*(measured.values("9", **_RING, replicas=copies) for copies in (3, 1)))


def _service_times(measured: Measurements, copies: int) -> pd.Series:
    types = of_ring(_tables(measured).request_types)
    sets = types[
        (types["side"] == "middleware")
        & (types["request_type"] == "set")
        & (types["workers"] == 64)
        & (types["replicas"] == copies)
    ]
    times: pd.Series = sets.groupby("repetition")["service_time_ms"].mean()
    return times


@chapter.claim(
    "9", "09-2-copies", "service time of sets, 3 copies over 1, 64 workers", at_most(1.5)
)
def copies_are_written_at_once(measured: Measurements) -> Estimate:
    """Replicas are written in parallel: three take at most 50 % longer than one."""
    return ratio(_service_times(measured, 3), _service_times(measured, 1))


@chapter.claim(
    "9",
    "09-1-summary",
    "throughput over m / S_0, 8 workers",
    equal_to(1, SAME),
    instead=limits("9", **_RING, workers=8),
)
def one_request_in_a_round_trip(measured: Measurements) -> Estimate:
    """Each of 8 sequential workers completes one request per network round trip."""
    measured.tables("0")  # S_0 is of the idle network
    tables = _tables(measured)
    bounds = bounds_table(tables)[[*SYSTEM, "most_ops_per_s"]]
    runs = of_ring(tables.runs).merge(bounds, on=list(SYSTEM))
    runs = runs[runs["workers"] == 8]
    each = runs[THROUGHPUT] / runs["most_ops_per_s"]
    return mean_of(each.groupby(runs["repetition"]).mean().tolist())


@chapter.claim("9", "09-2-copies", "throughput, 64 over 8 workers", equal_to(8, SAME))
def throughput_grows_as_workers_do(measured: Measurements) -> Estimate:
    """64 sequential workers complete eight times as many requests as 8 sequential workers."""
    return ratio(*(measured.values("9", **_RING, workers=workers) for workers in (64, 8)))


@chapter.claim("9", "09-1-summary", "throughput, 64 workers over no middleware", at_most(0.5))
def waiting_workers_cost_half(measured: Measurements) -> Estimate:
    """With 64 sequential workers, throughput is at most half of the throughput without a
    middleware.
    """
    return ratio(measured.values("9", **_RING, workers=64), measured.values("9", num_middlewares=0))


@chapter.claim("9", "09-1-summary", "throughput, pipelined over sequential", at_least(1.05))
def pipelining_brings_throughput(measured: Measurements) -> Estimate:
    """Pipelined dispatch has at least 5 % more throughput than sequential dispatch."""
    pipelined = measured.values("9", **_RING | {"dispatch": "pipelined"})
    return ratio(pipelined, measured.values("9", **_RING, workers=64))


interactive_law(chapter, "9", see="09-1-summary")
idle_cpus(chapter, "9", see="09-3-limits")
