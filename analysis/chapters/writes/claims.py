"""Chapter 4: sets to three servers through two middlewares."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analysis.claims.claim import Kind
from analysis.claims.findings import RESPONSE_TIME, SAME, Findings, ratio, whole_repetitions
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.laws.limits import LATE, at_load, late_server, lateness, server_times
from analysis.statistics.estimates import mean_of

_FEW, _ENOUGH, _MANY, _MOST = 8, 16, 64, 128
_VERY_FEW, _PLENTY = 2, 32  # of section 4.4


def check(found: Findings) -> None:
    """Check what limits sets, how many workers they need, what copies and waiting cost."""
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
    _dispatch(found)
    found.law("4.1", "4.4", see="04-1-load")
    found.processors("4.1", "4.4", see="04-2-limits")


def _each_server(found: Findings) -> None:
    tables = found.tables("4.1")
    servers = pd.DataFrame() if tables is None else at_load(tables.servers, "smallest")
    whole = servers if servers.empty else whole_repetitions(servers, "workers")
    runs = [] if whole.empty else [rows for _, rows in whole.groupby("repetition")]
    found.check(
        "4.1",
        "No server answers later than the others.",
        quantity="response time of the slowest over others, smallest load",
        measured=mean_of([lateness(server_times(rows)) for rows in runs]),
        holds=at_most(LATE),
        see="04-2-servers",
        instead=partial(late_server, servers),
        kind=Kind.VALIDITY,
    )


def _dispatch(found: Findings) -> None:
    def sets(dispatch: str, workers: int) -> pd.Series:
        return found.values("4.4", workload="set", dispatch=dispatch, workers=workers)

    for statement, above, below, holds in (
        (
            f"{_VERY_FEW} workers that do not wait do three times the sets, at least.",
            ("pipelined", _VERY_FEW),
            ("sequential", _VERY_FEW),
            at_least(3),
        ),
        (
            f"{_VERY_FEW} workers that do not wait do what {_PLENTY} do that wait.",
            ("pipelined", _VERY_FEW),
            ("sequential", _PLENTY),
            equal_to(1, SAME),
        ),
        (
            f"Of {_PLENTY} workers nothing is gained by not waiting.",
            ("pipelined", _PLENTY),
            ("sequential", _PLENTY),
            equal_to(1, SAME),
        ),
    ):
        (quick, more), (slow, less) = above, below
        found.check(
            "4.4",
            statement,
            quantity=f"throughput, {more} {quick} over {less} {slow}",
            measured=ratio(sets(*above), sets(*below)),
            holds=holds,
            see="04-4-dispatch",
        )


def _three_servers(found: Findings) -> None:
    """Compare loads that are equal in both sections; of others there is nothing to tell."""
    sections, sets = ("4.1", "3.2"), {"workload": "set", "workers": _MANY}
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
        loads = {found.num_clients(name, load, **sets) for name in sections}
        three, one = (found.values(name, column, load, **sets) for name in sections)
        found.check(
            "4.1",
            statement,
            quantity=f"{quantity}, {_MANY} workers, {load} load",
            measured=ratio(three, one) if len(loads) == 1 else mean_of([]),
            holds=at_most(most),
            see="04-1-servers",
        )
