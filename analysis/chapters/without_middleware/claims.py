"""Chapter 2: clients and servers with nothing between them."""

from __future__ import annotations

from analysis.claims.claim import Chapter
from analysis.claims.measurements import SAME, Measurements, ratio
from analysis.claims.rules import equal_to
from analysis.claims.shared import full_link, idle_cpus, interactive_law
from analysis.statistics.estimates import Estimate

chapter = Chapter("without-middleware")

for system, section, workload, role, statement in (
    (
        "one-server",
        "2.1",
        "get",
        "servers",
        "With one server, the server's link limits read throughput.",
    ),
    (
        "one-server",
        "2.1",
        "set",
        "clients",
        "With one server and three clients, the clients' links limit write throughput.",
    ),
    (
        "two-servers",
        "2.2",
        "get",
        "servers",
        "With two servers and one client, the servers' links limit read throughput.",
    ),
    (
        "two-servers",
        "2.2",
        "set",
        "clients",
        "With two servers and one client, the client's link limits write throughput.",
    ),
):
    name = f"{system}-{workload}s-fill-links"
    full_link(chapter, name, statement, section, role, "02-1-limits", workload=workload)


@chapter.claim("2.2", "02-3-published", "throughput of gets, 2.2 over 2.1", equal_to(2, SAME))
def two_servers_double_gets(measured: Measurements) -> Estimate:
    """Read throughput with two servers is twice the read throughput with one server."""
    return ratio(measured.values("2.2", workload="get"), measured.values("2.1", workload="get"))


interactive_law(chapter, "2.1", "2.2", see="02-1-load")
idle_cpus(chapter, "2.1", "2.2", see="02-1-limits")
