"""Chapter 4: sets to three servers through two middlewares."""

from __future__ import annotations

import pandas as pd

from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import (
    RESPONSE_TIME,
    SAME,
    THROUGHPUT,
    Measurements,
    NotMeasured,
    limits,
    ratio,
    whole_repetitions,
)
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import full_link, idle_cpus, interactive_law
from analysis.laws.limits import LATE, at_load, late_server, lateness, server_times
from analysis.statistics.estimates import Estimate, mean_of

chapter = Chapter("writes")

full_link(
    chapter,
    "sets-fill-middleware-links",
    "In the full system with 64 workers, the middlewares' links limit write throughput.",
    "4.1",
    "middlewares",
    "04-2-limits",
    workload="set",
    workers=64,
)


def _enough(workers: int) -> None:
    @chapter.claim(
        "4.1",
        "04-1-load",
        f"throughput, 64 over {workers} workers",
        equal_to(1, SAME),
        name=f"{workers}-workers-are-enough",
        statement=f"In the full system, 64 workers give no more write throughput than {workers}.",
        instead=limits("4.1", workload="set", workers=workers),
    )
    def compute(measured: Measurements) -> Estimate:
        sets = (measured.values("4.1", workload="set", workers=number) for number in (64, workers))
        return ratio(*sets)


_enough(8)
_enough(16)


@chapter.claim(
    "4.1", "04-1-closer", "queueing time over response time at the clients", at_most(0.05)
)
def sets_hardly_wait_for_workers(measured: Measurements) -> Estimate:
    """With 128 workers, sets spend at most 5 % of their response time in the job queue."""
    return ratio(
        measured.values("4.1", "middleware_queueing_time_ms", workload="set", workers=128),
        measured.values("4.1", RESPONSE_TIME, workload="set", workers=128),
    )


def _three_servers_over_one(measured: Measurements, column: str, load: str) -> Estimate:
    """Compare loads that are equal in both sections; of others there is nothing to tell."""
    sections, sets = ("4.1", "3.2"), {"workload": "set", "workers": 64}
    three, one = (measured.values(section, column, load, **sets) for section in sections)
    runs = [at_load(measured.tables(section).runs, load, **sets) for section in sections]
    if len(set(pd.concat(runs)["num_clients"])) > 1:
        raise NotMeasured
    return ratio(three, one)


@chapter.claim(
    "4.1", "04-1-servers", "response time, 4.1 over 3.2, 64 workers, smallest load", at_most(1.1)
)
def three_servers_cost_a_lone_set_little(measured: Measurements) -> Estimate:
    """At the smallest load, a set to three servers takes at most 10 % longer than a set to one
    server.
    """
    return _three_servers_over_one(measured, RESPONSE_TIME, "smallest")


@chapter.claim(
    "4.1", "04-1-servers", "throughput, 4.1 over 3.2, 64 workers, largest load", at_most(1 - SAME)
)
def three_servers_take_fewer_sets(measured: Measurements) -> Estimate:
    """At the largest load, three servers have at least 5 % less write throughput than one."""
    return _three_servers_over_one(measured, THROUGHPUT, "largest")


def _lightly_loaded(measured: Measurements) -> pd.DataFrame:
    return at_load(measured.tables("4.1").servers, "smallest")


@chapter.claim(
    "4.1",
    "04-2-servers",
    "response time of the slowest over others, smallest load",
    at_most(LATE),
    kind=Kind.VALIDITY,
    instead=lambda measured: late_server(_lightly_loaded(measured)),
)
def no_server_answers_later(measured: Measurements) -> Estimate:
    """At the smallest load, the slowest server answers at most 25 % later than the others."""
    servers = _lightly_loaded(measured)
    if servers.empty:
        raise NotMeasured
    runs = whole_repetitions(servers, "workers").groupby("repetition")
    return mean_of([lateness(server_times(rows)) for _, rows in runs])


def _sets(measured: Measurements, dispatch: str, workers: int) -> pd.Series:
    return measured.values("4.4", workload="set", dispatch=dispatch, workers=workers)


@chapter.claim("4.4", "04-4-dispatch", "throughput, 2 pipelined over 2 sequential", at_least(3))
def pipelining_triples_sets_of_2_workers(measured: Measurements) -> Estimate:
    """Two pipelined workers reach at least three times the write throughput of two sequential
    workers.
    """
    return ratio(_sets(measured, "pipelined", 2), _sets(measured, "sequential", 2))


@chapter.claim(
    "4.4", "04-4-dispatch", "throughput, 2 pipelined over 32 sequential", equal_to(1, SAME)
)
def two_pipelined_workers_do_as_much_as_32(measured: Measurements) -> Estimate:
    """Two pipelined workers reach the write throughput of 32 sequential workers."""
    return ratio(_sets(measured, "pipelined", 2), _sets(measured, "sequential", 32))


@chapter.claim(
    "4.4", "04-4-dispatch", "throughput, 32 pipelined over 32 sequential", equal_to(1, SAME)
)
def pipelining_brings_32_workers_nothing(measured: Measurements) -> Estimate:
    """With 32 workers, pipelined dispatch has the same write throughput as sequential dispatch."""
    return ratio(_sets(measured, "pipelined", 32), _sets(measured, "sequential", 32))


interactive_law(chapter, "4.1", "4.4", see="04-1-load")
idle_cpus(chapter, "4.1", "4.4", see="04-2-limits")
