"""Chapter 3: one middleware or two between clients and one server."""

from __future__ import annotations

from analysis.chapters.with_middleware import bistability
from analysis.claims.findings import RESPONSE_TIME, SAME, Findings, ratio, whole_repetitions
from analysis.claims.rules import at_least, equal_to
from analysis.laws.workers import worker_table
from analysis.statistics.estimates import mean_of

_FEW, _MANY = 8, 64


def check(found: Findings) -> None:
    """Check what one middleware costs, how many workers it needs, what a second one brings."""
    many = found.most_workers("3.1", _MANY)
    words = f"{_MANY} workers" if many == _MANY else "workers for all clients"
    _limits(found, many, words)
    _costs(found, many, words)
    found.check(
        "3.2",
        "A second middleware brings gets nothing.",
        quantity=f"throughput, 3.2 over 3.1, {words}",
        measured=ratio(
            found.values("3.2", workload="get", workers=many),
            found.values("3.1", workload="get", workers=many),
        ),
        holds=equal_to(1, SAME),
        see="03-3-capacity",
    )
    bistability.check(found, "3.1", "3.2")
    found.law("3.1", "3.2", see="03-1-load")
    found.processors("3.1", "3.2", see="03-3-limits")


def _limits(found: Findings, many: int, words: str) -> None:
    for section, who in (("3.1", "One middleware"), ("3.2", "Two middlewares")):
        found.check_link(
            section,
            f"{who}: the server's link limits gets.",
            "servers",
            workload="get",
            quantity="utilization of the server's link",
            see="03-3-limits",
        )
    found.check_link(
        "3.1",
        f"With {words} the clients' links limit sets.",
        "clients",
        workload="set",
        workers=many,
        see="03-3-limits",
    )
    tables = found.tables("3.1")
    shares: list[float] = []
    if tables is not None:
        runs = tables.runs[(tables.runs["workload"] == "set") & (tables.runs["workers"] == _FEW)]
        whole = whole_repetitions(runs).groupby("repetition")
        each = [worker_table(rows)["share_of_most"] for _, rows in whole]
        shares = [share for table in each for share in table]
    found.check(
        "3.1",
        f"With {_FEW} workers the workers limit sets.",
        quantity="throughput over M m / S, S at the smallest load",
        measured=mean_of(shares),
        holds=at_least(0.9),
        see="03-3-limits",
        instead=found.limits("3.1", workload="set", workers=_FEW),
    )
    found.check(
        "3.1",
        f"{2 * 2 * _FEW} workers are enough for sets.",
        quantity=f"throughput, {2 * 2 * _FEW} over {2 * _MANY} workers",
        measured=ratio(
            found.values("3.1", workload="set", workers=2 * 2 * _FEW),
            found.values("3.1", workload="set", workers=2 * _MANY),
        ),
        holds=equal_to(1, SAME),
        see="03-1-load",
        instead=found.limits("3.1", workload="set", workers=2 * 2 * _FEW),
    )


def _costs(found: Findings, many: int, words: str) -> None:
    for workload in ("get", "set"):
        found.check(
            "3.1",
            f"Where links are full, the middleware costs {workload}s nothing.",
            quantity=f"throughput, 3.1 ({words}) over 2.1",
            measured=ratio(
                found.values("3.1", workload=workload, workers=many),
                found.values("2.1", workload=workload),
            ),
            holds=equal_to(1, SAME),
            see="03-3-capacity",
            instead=found.limits("3.1", workload=workload, workers=many),
        )
    found.check(
        "3.1",
        "At the smallest load it doubles the time of a set.",
        quantity=f"response time, 3.1 ({words}) over 2.1",
        measured=ratio(
            found.values("3.1", RESPONSE_TIME, "smallest", workload="set", workers=many),
            found.values("2.1", RESPONSE_TIME, "smallest", workload="set"),
        ),
        holds=equal_to(2, SAME),
        see="03-1-load",
    )
