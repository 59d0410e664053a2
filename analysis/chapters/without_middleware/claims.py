"""Chapter 2: clients and servers with nothing between them."""

from __future__ import annotations

from analysis.claims.findings import SAME, Findings, ratio
from analysis.claims.rules import equal_to

_LINKS = (
    ("2.1", "get", "servers", "One server: its link limits gets."),
    ("2.1", "set", "clients", "One server: the three clients' links limit sets."),
    ("2.2", "get", "servers", "Two servers: their links limit gets."),
    ("2.2", "set", "clients", "Two servers: the one client's link limits sets."),
)


def check(found: Findings) -> None:
    """Check what limits the baseline, and that its throughput and response time agree."""
    for section, workload, role, statement in _LINKS:
        found.check_link(section, statement, role, workload=workload, see="02-1-limits")
    found.check(
        "2.2",
        "Two servers give twice the gets of one.",
        quantity="throughput of gets, 2.2 over 2.1",
        measured=ratio(found.values("2.2", workload="get"), found.values("2.1", workload="get")),
        holds=equal_to(2, SAME),
        see="02-3-published",
    )
    found.law("2.1", "2.2", see="02-1-load")
    found.processors("2.1", "2.2", see="02-1-limits")
