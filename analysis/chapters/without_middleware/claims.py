"""Chapter 2: clients and servers with nothing between them."""

from __future__ import annotations

from analysis.claims.claim import Chapter
from analysis.claims.measurements import SAME, Measurements, ratio
from analysis.claims.rules import equal_to
from analysis.claims.shared import full_link, idle_cpus, interactive_law
from analysis.statistics.estimates import Estimate

chapter = Chapter("without-middleware")

for system, section, workload, role, statement in (
    ("one-server", "2.1", "get", "servers", "One server: its link limits gets."),
    ("one-server", "2.1", "set", "clients", "One server: the three clients' links limit sets."),
    ("two-servers", "2.2", "get", "servers", "Two servers: their links limit gets."),
    ("two-servers", "2.2", "set", "clients", "Two servers: the one client's link limits sets."),
):
    name = f"{system}-{workload}s-fill-links"
    full_link(chapter, name, statement, section, role, "02-1-limits", workload=workload)


@chapter.claim("2.2", "02-3-published", "throughput of gets, 2.2 over 2.1", equal_to(2, SAME))
def two_servers_double_gets(measured: Measurements) -> Estimate:
    """Two servers give twice the gets of one."""
    return ratio(measured.values("2.2", workload="get"), measured.values("2.1", workload="get"))


interactive_law(chapter, "2.1", "2.2", see="02-1-load")
idle_cpus(chapter, "2.1", "2.2", see="02-1-limits")
