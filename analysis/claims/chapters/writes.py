"""Chapter 4: sets to three servers through two middlewares."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analysis.claims.findings import RESPONSE_TIME, SAME, Findings, ratio
from analysis.claims.rules import at_most, equal_to
from analysis.laws.limits import LATE, at_load, late_server, lateness, server_times
from analysis.statistics.estimates import mean_of

_FEW, _ENOUGH, _MANY, _MOST = 8, 16, 64, 128


def check(found: Findings) -> None:
    """Check what limits sets, how many workers they need, and what three servers cost."""
    found.check_link(
        "4.1",
        f"With {_MANY} workers the middlewares' links limit sets.",
        "middlewares",
        workload="set",
        workers=_MANY,
        see="04-2-limits",
    )
    for workers in (_FEW, _ENOUGH):
        found.check(
            "4.1",
            f"{workers} workers in each middleware are enough for sets.",
            quantity=f"throughput, {_MANY} over {workers} workers",
            measured=ratio(
                found.values("4.1", workload="set", workers=_MANY),
                found.values("4.1", workload="set", workers=workers),
            ),
            holds=equal_to(1, SAME),
            see="04-1-load",
            instead=found.limits("4.1", workload="set", workers=workers),
        )
    found.check(
        "4.1",
        f"With {_MOST} workers sets hardly wait for a worker.",
        quantity="queueing time over response time at the clients",
        measured=ratio(
            found.values("4.1", "middleware_queueing_time_ms", workload="set", workers=_MOST),
            found.values("4.1", RESPONSE_TIME, workload="set", workers=_MOST),
        ),
        holds=at_most(0.05),
        see="04-1-closer",
    )
    _three_servers(found)
    _each_server(found)
    found.law("4.1", see="04-1-load")
    found.processors("4.1", see="04-2-limits")


def _each_server(found: Findings) -> None:
    tables = found.tables("4.1")
    servers = pd.DataFrame() if tables is None else at_load(tables.servers, "smallest")
    runs = [] if servers.empty else [rows for _, rows in servers.groupby("repetition")]
    found.check(
        "4.1",
        "No server answers later than the others.",
        quantity="response time of the slowest over others, smallest load",
        measured=mean_of([lateness(server_times(rows)) for rows in runs]),
        holds=at_most(LATE),
        see="04-2-servers",
        instead=partial(late_server, servers),
    )


def _three_servers(found: Findings) -> None:
    for load, statement, quantity, column, most in (
        (
            "smallest",
            "Waiting for the slowest of three costs a lone set little.",
            "response time, 4.1 over 3.2",
            RESPONSE_TIME,
            1.1,
        ),
        (
            "largest",
            "Three servers take fewer sets than one.",
            "throughput, 4.1 over 3.2",
            "client_throughput_ops_per_s",
            1 - SAME,
        ),
    ):
        found.check(
            "4.1",
            statement,
            quantity=f"{quantity}, {_MANY} workers, {load} load",
            measured=ratio(
                found.values("4.1", column, load, workload="set", workers=_MANY),
                found.values("3.2", column, load, workload="set", workers=_MANY),
            ),
            holds=at_most(most),
            see="04-1-servers",
        )
