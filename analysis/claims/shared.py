"""Claims that several chapters make: a full link, the interactive law, machines with time left."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import (
    RESPONSE_TIME,
    SAME,
    THROUGHPUT,
    Measurements,
    by_repetition,
    limits,
    whole_repetitions,
)
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.laws.bottlenecks import of_quotas
from analysis.laws.limits import CPU_FULL, FULL, busiest_host
from analysis.statistics.estimates import Estimate, mean_of
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

BUSY = at_least(FULL)


def full_link(
    chapter: Chapter,
    name: str,
    statement: str,
    section: str,
    role: str,
    see: str,
    quantity: str = "",
    **where: Any,
) -> None:
    """Claim that what the hosts of a role send at the largest load fills their links.

    Parameters
    ----------
    role
        ``clients``, ``middlewares`` or ``servers``.
    where
        Levels that the runs must have.
    """
    chapter.claim(
        section,
        see,
        quantity or f"utilization of the {role}' links",
        BUSY,
        name=name,
        statement=statement,
        instead=limits(section, **where),
    )(lambda measured: link_utilization(measured.tables(section), role, **where))


def link_utilization(tables: Tables, role: str, **where: Any) -> Estimate:
    """Estimate how busy what the hosts of a role send keeps their links at the largest load."""
    hosts = by_repetition(tables.hosts, "send_link_utilization", role=role, **where)
    return mean_of(hosts.tolist())


def interactive_law(chapter: Chapter, *sections: str, see: str, section: str = "") -> None:
    """Claim that throughput and response time at the clients agree, X (R + Z) = N.

    Parameters
    ----------
    section
        What it is said of, by default the chapter of the first of the sections.
    """
    quantity = "X (R + Z) / N, mean of each repetition"
    section = section or sections[0].partition(".")[0]

    @chapter.claim(section, see, quantity, equal_to(1, SAME), kind=Kind.VALIDITY)
    def interactive_law(measured: Measurements) -> Estimate:
        """Throughput and response time satisfy the interactive response time law."""
        jobs: list[float] = []
        for tables in measured.held(*sections):
            runs = tables.runs
            cycle_s = runs[RESPONSE_TIME] / MS_PER_S + runs["think_time_s"]  # NaN in an open loop
            of_runs = runs[THROUGHPUT] * cycle_s / runs["num_clients"]
            jobs += of_runs.groupby(runs["repetition"]).mean().tolist()
        return mean_of(jobs)


def idle_cpus(
    chapter: Chapter, *sections: str, see: str, section: str = "", but: Collection[str] = ()
) -> None:
    """Claim that no machine is the limit: in the local lab the one that carries all hosts.

    There a host with a quota of CPU time is a machine, too; those of roles in `but` are left out.
    Judged by the busiest of all runs of a whole repetition.

    Parameters
    ----------
    section
        As of `interactive_law`.
    """

    def hosts(measured: Measurements) -> Iterator[pd.DataFrame]:
        for tables in measured.held(*sections):
            yield whole_repetitions(tables.hosts[~tables.hosts["role"].isin(but)])

    @chapter.claim(
        section or sections[0].partition(".")[0],
        see,
        "utilization of the busiest machine's CPU",
        at_most(CPU_FULL),
        kind=Kind.VALIDITY,
        instead=lambda measured: busiest_host(pd.concat(hosts(measured))),
    )
    def idle_cpus(measured: Measurements) -> Estimate:
        """Every machine has CPU time left: its CPU is at most 90 % utilized."""
        busy = [
            own[["repetition", "cpu_percent"]].assign(of_quota=of_quotas(own) * 100)
            for own in hosts(measured)
        ]
        busiest = pd.concat(busy).groupby("repetition").max() if busy else pd.DataFrame()
        return mean_of((busiest.max(axis="columns") / 100).tolist())
