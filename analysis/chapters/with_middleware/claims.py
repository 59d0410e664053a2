"""Chapter 3: one middleware or two between clients and one server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from analysis.chapters.with_middleware.bistability import Regimes, could_do, regimes_of
from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import (
    RESPONSE_TIME,
    SAME,
    Measurements,
    limits,
    once,
    ratio,
    whole_repetitions,
)
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import BUSY, full_link, idle_cpus, interactive_law, link_utilization
from analysis.laws.workers import worker_table
from analysis.statistics.estimates import Estimate, mean_of

MANY = "64 workers, or the only number"
chapter = Chapter("with-middleware")

for number, section, who in (("one", "3.1", "one middleware"), ("two", "3.2", "two middlewares")):
    statement = f"With {who}, the server's link limits read throughput."
    name = f"gets-of-{number}-fill-the-server-link"
    link = "utilization of the server's link"
    full_link(chapter, name, statement, section, "servers", "03-3-limits", link, workload="get")


def _many(measured: Measurements, workload: str) -> dict[str, Any]:
    """Return the levels of runs with 64 workers, or with the only number that was measured."""
    workers = set(measured.tables("3.1").runs.get("workers", pd.Series([64])))
    return {"workload": workload, "workers": int(workers.pop()) if len(workers) == 1 else 64}


@chapter.claim(
    "3.1",
    "03-3-limits",
    "utilization of the clients' links",
    BUSY,
    instead=lambda measured: limits("3.1", **_many(measured, "set"))(measured),
)
def sets_fill_client_links(measured: Measurements) -> Estimate:
    """With 64 workers (or the only number measured), the clients' links limit write throughput."""
    return link_utilization(measured.tables("3.1"), "clients", **_many(measured, "set"))


@chapter.claim(
    "3.1",
    "03-3-limits",
    "throughput over M m / S, S at the smallest load",
    at_least(0.9),
    instead=limits("3.1", workload="set", workers=8),
)
def few_workers_limit_sets(measured: Measurements) -> Estimate:
    """With one middleware of 8 workers, the workers limit write throughput."""
    runs = measured.tables("3.1").runs
    runs = runs[(runs["workload"] == "set") & (runs["workers"] == 8)]
    whole = whole_repetitions(runs).groupby("repetition")
    return mean_of([share for _, rows in whole for share in worker_table(rows)["share_of_most"]])


@chapter.claim(
    "3.1",
    "03-1-load",
    "throughput, 32 over 128 workers",
    equal_to(1, SAME),
    instead=limits("3.1", workload="set", workers=32),
)
def enough_workers_for_sets(measured: Measurements) -> Estimate:
    """With one middleware, 128 workers give no more write throughput than 32 workers."""
    return ratio(
        measured.values("3.1", workload="set", workers=32),
        measured.values("3.1", workload="set", workers=128),
    )


def _costs_nothing(workload: str, noun: str) -> None:
    @chapter.claim(
        "3.1",
        "03-3-capacity",
        f"throughput, 3.1 ({MANY}) over 2.1",
        equal_to(1, SAME),
        name=f"it-costs-{workload}s-nothing",
        statement=f"At saturation, adding one middleware does not change {noun} throughput.",
        instead=lambda measured: limits("3.1", **_many(measured, workload))(measured),
    )
    def compute(measured: Measurements) -> Estimate:
        ours = measured.values("3.1", **_many(measured, workload))
        return ratio(ours, measured.values("2.1", workload=workload))


_costs_nothing("get", "read")
_costs_nothing("set", "write")


@chapter.claim("3.1", "03-1-load", f"response time, 3.1 ({MANY}) over 2.1", equal_to(2, SAME))
def lone_sets_take_twice_as_long(measured: Measurements) -> Estimate:
    """At the smallest load, adding one middleware doubles the response time of a set."""
    return ratio(
        measured.values("3.1", RESPONSE_TIME, "smallest", **_many(measured, "set")),
        measured.values("2.1", RESPONSE_TIME, "smallest", workload="set"),
    )


@chapter.claim("3.2", "03-3-capacity", f"throughput, 3.2 over 3.1, {MANY}", equal_to(1, SAME))
def a_second_brings_gets_nothing(measured: Measurements) -> Estimate:
    """At saturation, adding a second middleware does not change read throughput."""
    many = _many(measured, "get")
    return ratio(measured.values("3.2", **many), measured.values("3.1", **many))


@once
def _regimes(measured: Measurements) -> Sequence[Regimes]:
    return [one for tables in measured.held("3.1", "3.2") for one in regimes_of(tables)]


_MISSING = "no configuration has runs in two regimes"


_two_regimes = partial(chapter.claim, "3", "03-1-queue", missing=_MISSING)


@_two_regimes(
    "share of these runs in which 10 % of the clients queue in the first second", at_least(1)
)
def two_regimes_begin_with_a_queue(measured: Measurements) -> pd.Series:
    """Where the runs of a configuration have two regimes, every run begins with a job queue."""
    begins = [one.begins_with_queue for one in _regimes(measured)]
    return pd.concat(begins) if begins else pd.Series(dtype=bool)


@_two_regimes(
    "M m / S with the short queue over throughput with the short queue",
    at_least(1),
    kind=Kind.VALIDITY,
)
def workers_behind_short_queues_can_do_more(measured: Measurements) -> Estimate:
    """In runs with a short job queue, the workers could complete more requests than arrive."""
    return could_do([(one.short, one.short) for one in _regimes(measured)])


@_two_regimes("M m / S with the long queue over throughput with the short queue", at_most(1))
def workers_behind_long_queues_are_slower(measured: Measurements) -> Estimate:
    """In runs with a long job queue, the workers are too slow to shorten the queue."""
    return could_do([(one.long, one.short) for one in _regimes(measured)])


interactive_law(chapter, "3.1", "3.2", see="03-1-load")
idle_cpus(chapter, "3.1", "3.2", see="03-3-limits")
